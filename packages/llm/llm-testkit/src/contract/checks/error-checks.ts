import { codeOfStatus } from 'dsh-llm'
import type { Answer } from '../../server/answer.ts'
import type { AdapterRun } from '../adapter-run.ts'
import type { CheckDefinition } from '../contract-check.ts'
import { must } from '../contract-rules.ts'
import { type ContractSetup, isWireSetup } from '../contract-setup.ts'
import { contractKey, type ContractStage } from '../contract-stage.ts'

const statuses = [400, 401, 402, 403, 404, 408, 413, 418, 422, 429, 500, 502, 503, 504, 529] as const

const requestId = 'contract-request-id'

/** One check for each status: code, facts, one request, and no secret. */
export function errorChecks(setup: ContractSetup): readonly CheckDefinition[] {
  if (!isWireSetup(setup)) return [inBandCheck]
  const table = statuses.map((status): CheckDefinition => ({
    name: `tells status ${status} as ${codesOf(status, setup.errorCodes).join(' or ')}`,
    rule: 'A3',
    onWire: true,
    run: (stage) => checkStatus(stage, status),
  }))
  const requestIdChecks = setup.requestIdHeader === undefined ? [] : [requestIdCheck(setup.requestIdHeader)]
  return [...table, waitCheck, ...requestIdChecks, inBandCheck]
}

function codesOf(status: number, own: Readonly<Record<number, string>> = {}): readonly string[] {
  const code = own[status]
  if (code !== undefined) return [code]
  // A body too large for the server is a conversation too long, but only adapters that know their server can say so.
  return status === 413 ? ['CONTEXT_WINDOW_EXCEEDED', codeOfStatus(status)] : [codeOfStatus(status)]
}

async function checkStatus(stage: ContractStage, status: number): Promise<void> {
  const run = await refused(stage, stage.refusal(status, `contract refusal of ${contractKey}`))
  const codes = codesOf(status, stage.wire.errorCodes)
  must(codes.includes(run.failure?.code ?? ''), 'A3', () => `status ${status} came out as ${run.describeEnd()}`)
  must(
    run.failure?.status === status,
    'A3',
    () => `the failure has the status ${run.failure?.status}, not ${status}`,
  )
}

async function refused(stage: ContractStage, answer: Answer): Promise<AdapterRun> {
  const run = await stage.run(await stage.serve([answer]))
  run.assertFailed('a refusal')
  run.assertGrammar()
  return run
}

const waitCheck: CheckDefinition = {
  name: 'tells how long the provider asks to wait',
  rule: 'A3',
  onWire: true,
  needs: ['retry-after'],
  async run(stage) {
    for (const status of [429, 503]) {
      const { failure } = await refused(
        stage,
        stage.refusal(status, 'contract refusal', { 'retry-after': '7' }),
      )
      const delay = failure?.providerRetryAfterMs
      must(
        delay === 7_000,
        'A3',
        () => `providerRetryAfterMs is ${delay} for status ${status} with "retry-after: 7"`,
      )
    }
  },
}

function requestIdCheck(header: string): CheckDefinition {
  return {
    name: 'tells the request id of the provider',
    rule: 'A3',
    onWire: true,
    async run(stage) {
      const headers = { [header]: requestId }
      const { failure } = await refused(stage, stage.refusal(500, 'contract refusal', headers))
      const failed = failure?.requestId
      must(failed === requestId, 'A3', () => `a failure has the request id ${failed}, sent was ${requestId}`)
      const rendered = stage.wire.render({ text: 'Hi' })
      const adapter = await stage.serve([{ ...rendered, headers: { ...rendered.headers, ...headers } }])
      const given = (await stage.run(adapter)).finish?.response?.requestId
      must(given === requestId, 'A3', () => `a finish has the request id ${given}, sent was ${requestId}`)
    },
  }
}

const inBandCheck: CheckDefinition = {
  name: 'tells an error inside the stream and keeps what came before it',
  rule: 'A3',
  needs: ['in-band-error'],
  async run(stage) {
    const error = { message: 'contract failure', type: 'server_error' }
    const run = await stage.run(await stage.play([{ text: ['Hel', 'lo'], error }]))
    run.assertGrammar()
    run.assertFailed('an error inside the stream')
    must(run.text === 'Hello', 'A3', () => `before the error came "Hello", the chunks hold "${run.text}"`)
  },
}
