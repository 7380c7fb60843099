import { CallId, createFailure, type RetryPolicy, type StreamChunk } from 'dsh-llm'
import * as fc from 'fast-check'

const id = CallId('call_1')
const said = {
  nothing: [],
  usage: [{ type: 'usage', usage: { outputTokens: 3 } }],
  start: [{ type: 'block-start', index: 0, blockType: 'text' }],
  text: [
    { type: 'block-start', index: 0, blockType: 'text' },
    { type: 'text-delta', index: 0, text: 'Hi' },
  ],
  reasoning: [
    { type: 'block-start', index: 0, blockType: 'reasoning' },
    { type: 'reasoning-delta', index: 0, text: 'hm' },
    { type: 'block-end', index: 0, block: { type: 'reasoning', text: 'hm' } },
  ],
  'half a call': [
    { type: 'block-start', index: 0, blockType: 'tool-call' },
    { type: 'tool-call-delta', index: 0, id, name: 'f', argumentsDelta: '{' },
  ],
  'a call': [
    { type: 'block-start', index: 0, blockType: 'tool-call' },
    { type: 'tool-call-delta', index: 0, id, name: 'f', argumentsDelta: '{}' },
    { type: 'block-end', index: 0, block: { type: 'tool-call', id, name: 'f', arguments: '{}' } },
  ],
} as const satisfies Readonly<Record<string, readonly StreamChunk[]>>

/** What a run says before it fails. */
export type Said = keyof typeof said

/** A run of the adapter that fails, after some time. */
export interface FailingRun {
  readonly said: Said
  readonly code: string
  readonly providerRetryAfterMs: number | undefined
  readonly tookMs: number
}

/** A script step that is this run. */
export function toStep(run: FailingRun): {
  readonly chunks: readonly StreamChunk[]
  readonly delaysMs: readonly number[]
} {
  const { code, providerRetryAfterMs, tookMs } = run
  const failure = createFailure('no luck', code, { providerRetryAfterMs })
  const finish: StreamChunk = { type: 'finish', reason: { kind: 'error', failure } }
  return { chunks: [...said[run.said], finish], delaysMs: [tookMs] }
}

/** Whether what was said binds the reader to the run. */
function commits(what: Said, until: RetryPolicy['until']): boolean {
  if (until === 'never' || what === 'a call') return true
  return until === 'first-content' && ['text', 'reasoning', 'half a call'].includes(what)
}

export const failingRuns: fc.Arbitrary<readonly FailingRun[]> = fc.array(
  fc.record({
    said: fc.constantFrom(...(Object.keys(said) as readonly Said[])),
    code: fc.constantFrom('SERVER', 'RATE_LIMIT', 'OVERLOADED', 'TRANSPORT', 'AUTH'),
    providerRetryAfterMs: fc.option(fc.integer({ min: 0, max: 5_000 }), { nil: undefined, freq: 3 }),
    tookMs: fc.integer({ min: 0, max: 2_000 }),
  }),
  { maxLength: 7 },
)

export const policies: fc.Arbitrary<RetryPolicy> = fc.record({
  maxAttempts: fc.integer({ min: 1, max: 6 }),
  maxElapsedMs: fc.integer({ min: 0, max: 20_000 }),
  initialDelayMs: fc.integer({ min: 0, max: 1_000 }),
  maxDelayMs: fc.integer({ min: 0, max: 4_000 }),
  maxProviderDelayMs: fc.integer({ min: 0, max: 4_000 }),
  codes: fc.subarray(['SERVER', 'RATE_LIMIT', 'OVERLOADED', 'TRANSPORT'], { minLength: 2 }),
  until: fc.constantFrom('first-content' as const, 'finish' as const, 'never' as const),
})

/** What the runs come to under a policy, told in the plainest way: requests made, and time passed. */
export function predict(
  runs: readonly FailingRun[],
  policy: RetryPolicy,
  random: number,
): { readonly requests: number; readonly elapsedMs: number; readonly isAnswered: boolean } {
  let elapsedMs = 0
  for (const [at, run] of runs.entries()) {
    elapsedMs += run.tookMs
    const requests = at + 1
    const bound = Math.min(policy.maxDelayMs, policy.initialDelayMs * 2 ** at)
    const delayMs = run.providerRetryAfterMs ?? Math.round(random * bound)
    const isRerun =
      !commits(run.said, policy.until) &&
      policy.codes.includes(run.code) &&
      (run.providerRetryAfterMs ?? 0) <= policy.maxProviderDelayMs &&
      requests < policy.maxAttempts &&
      elapsedMs + delayMs <= policy.maxElapsedMs
    if (!isRerun) return { requests, elapsedMs, isAnswered: false }
    elapsedMs += delayMs
  }
  return { requests: runs.length + 1, elapsedMs, isAnswered: true }
}
