import { statSync } from 'node:fs'
import {
  createLlm,
  createToolResultMessage,
  createUserMessage,
  CallId,
  type GenerateOptions,
  use,
} from 'dsh-llm'
import openaiCompatible from 'dsh-llm-openai-compatible'
import { chatCompletions, collectChunks, jsonAnswer, startProviderServer } from 'dsh-llm-testkit'
import { afterAll, describe, expect, it } from 'vitest'
import replay from '../src/index.ts'
import { HandedCaseLog, readHandedCases } from '../../../../.tools/tests/handed-cases.ts'
import { failureOf, openStage, record, TestFile, textOf, toRequest } from './support/stage.ts'

function secondTurn(result: string, id: string): GenerateOptions {
  const call = { type: 'tool-call' as const, id: CallId(id), name: 'time', arguments: '{}' }
  const source = { kind: 'model' as const, provider: 'p', model: 'm' }
  const asked = { ...createUserMessage('x'), role: 'assistant' as const, content: [call], source }
  const answered = createToolResultMessage({ callId: CallId(id), content: result })
  return toRequest('turn1', { messages: [createUserMessage('turn1'), asked, answered] })
}

/** Handed scenarios by id; each is a script of its own. */
const scenarios: Readonly<Record<string, () => Promise<void>>> = {
  async 'rp-volatile-parts-in-key'() {
    using file = new TestFile()
    using plain = new TestFile()
    const hook = (text: string): string =>
      text.replaceAll(/\d\d:\d\d:\d\d/g, 'TIME').replaceAll(/^call_\w+$/g, 'ID')
    const recorded = [
      [toRequest('turn1'), 'a'],
      [secondTurn('at 10:00:01', 'call_a'), 'b'],
    ] as const
    const asked = [toRequest('turn1'), secondTurn('at 10:07:33', 'call_b')]
    await record(file, recorded, { redact: { hook } })
    await record(plain, recorded)
    await using levelled = await openStage({ file: file.path, mode: 'replay', redact: { hook } })
    for (const request of asked) expect(failureOf(await levelled.ask(request)).code).toBe('stop')
    await using strict = await openStage({ file: plain.path, mode: 'replay' })
    const [, miss] = [
      await strict.ask(toRequest('turn1')),
      await strict.ask(secondTurn('at 10:07:33', 'call_a')),
    ]
    expect(failureOf(miss).message).toMatch(/in messages\[2\] \(content\[0\]\.content\[0\]\.text\)/)
  },

  async 'rp-identical-requests-in-order'() {
    for (const match of ['session', 'fingerprint'] as const) {
      using file = new TestFile()
      await record(file, [
        [toRequest('q'), 'a1'],
        [toRequest('q'), 'a2'],
      ])
      await using stage = await openStage({ file: file.path, mode: 'replay', match })
      const answers = [await stage.ask(toRequest('q')), await stage.ask(toRequest('q'))]
      expect(answers.map(textOf)).toEqual(['a1', 'a2'])
      expect(failureOf(await stage.ask(toRequest('q'))).code).toBe('REPLAY_EXHAUSTED')
    }
  },

  async 'rp-miss-is-loud'() {
    using file = new TestFile()
    await record(file, [[toRequest('q'), 'a']])
    await using server = await startProviderServer({ script: [{ chunks: chatCompletions({ text: 'x' }) }] })
    const providers = { p: { baseURL: server.url, apiKey: 'sk-test' } }
    await using host = await createLlm({
      plugins: [use(openaiCompatible, { providers }), use(replay, { mode: 'replay', file: file.path })],
    })
    const chunks = await collectChunks(host.llm.stream(toRequest('q changed')))
    expect(chunks).toHaveLength(1)
    expect(failureOf(chunks)).toMatchObject({
      code: 'REPLAY_DIVERGED',
      message: expect.stringMatching(/line 2 .*recorded "q", now "q changed"/),
    })
    expect(server.requests).toHaveLength(0)
  },

  async 'rp-secret-headers'() {
    using file = new TestFile()
    const headers = { authorization: 'Bearer sk-test-SENTINEL', 'x-api-key': 'SENTINEL2', cookie: 'SENTINEL3' }
    const script = [{ chunks: chatCompletions({ text: 'a' }), headers: { 'set-cookie': 'SENTINEL4' } }]
    await using server = await startProviderServer({ script })
    const providers = { p: { baseURL: server.url, apiKey: 'sk-test-SENTINEL' } }
    const adapter = use(openaiCompatible, { providers })
    const request = toRequest('q', { headers: { 'x-api-key': headers['x-api-key'], cookie: headers.cookie } })
    for (const mode of ['record', 'replay'] as const) {
      await using host = await createLlm({ plugins: [adapter, use(replay, { mode, file: file.path })] })
      expect(textOf(await collectChunks(host.llm.stream(request)))).toBe('a')
      expect(file.text).not.toContain('SENTINEL')
    }
    expect(server.requests).toHaveLength(1)
    expect(statSync(file.path).mode & 0o777).toBe(0o600)
  },

  async 'rp-redact-then-match'() {
    using file = new TestFile()
    const redact = { patterns: [/[\w.]+@[\w.]+/] }
    await record(file, [[toRequest('mail a@example.test'), 'sent to a@example.test']], { redact })
    expect(file.text).not.toContain('example.test')
    await using stage = await openStage({ file: file.path, mode: 'replay', redact })
    expect(failureOf(await stage.ask(toRequest('mail a@example.test'))).code).toBe('stop')
  },

  async 'rp-failed-and-aborted-streams'() {
    using file = new TestFile()
    const script = [
      jsonAnswer({ error: { message: 'slow down' } }, { status: 429, headers: { 'retry-after': '3' } }),
      { chunks: chatCompletions({ text: ['one', 'two'] }).slice(0, 3), end: 'hang' as const },
      { chunks: chatCompletions({ text: 'ok' }) },
    ]
    await using server = await startProviderServer({ script })
    const providers = { p: { baseURL: server.url, apiKey: 'sk-test' } }
    const run = async (mode: 'record' | 'replay'): Promise<unknown[]> => {
      const controller = new AbortController()
      await using host = await createLlm({
        plugins: [use(openaiCompatible, { providers }), use(replay, { mode, file: file.path })],
      })
      const limited = await collectChunks(host.llm.stream(toRequest('1')))
      const aborted = []
      for await (const chunk of host.llm.stream(toRequest('2', { signal: controller.signal }))) {
        aborted.push(chunk)
        if (chunk.type === 'text-delta') controller.abort()
      }
      return [limited, aborted, await collectChunks(host.llm.stream(toRequest('3')))]
    }
    const recorded = await run('record')
    expect(recorded).toMatchObject([
      [
        {
          reason: { kind: 'error', failure: { code: 'RATE_LIMIT', status: 429, providerRetryAfterMs: 3_000 } },
        },
      ],
      expect.arrayContaining([
        expect.objectContaining({ reason: expect.objectContaining({ kind: 'aborted' }) }),
      ]),
      expect.arrayContaining([expect.objectContaining({ reason: { kind: 'stop' } })]),
    ])
    expect(await run('replay')).toEqual(recorded)
  },

  async 'rp-load-does-not-drop'() {
    using file = new TestFile()
    await record(file, [[toRequest('secret plan'), 'a']])
    const before = file.text
    const config = { file: file.path, mode: 'auto', redact: { patterns: [/secret \w+/] } } as const
    {
      await using stage = await openStage(config, { script: [{ text: 'b' }] })
      await stage.ask(toRequest('secret plan'))
      await stage.ask(toRequest('another'))
    }
    expect(file.text.startsWith(before)).toBe(true)
    expect(file.lines).toHaveLength(3)
  },
}

describe('replay in the cases of the field', () => {
  const log = new HandedCaseLog()
  afterAll(() => log.write('replay', 'cases'))

  it.each(Object.entries(scenarios))('%s', async (id, run) => {
    await log.check(id, run)
  })

  it('knows every handed case of its area', () => {
    const ids = readHandedCases<unknown>().flatMap(({ id, area }) => (area === 'replay' ? [id] : []))
    expect(ids.filter((id) => scenarios[id] === undefined)).toEqual([])
  })
})
