import { createUserMessage, type GenerateOptions, type ToolSchema } from 'dsh-llm'
import { describe, expect, it } from 'vitest'
import { failureOf, openStage, record, TestFile, toRequest } from './support/stage.ts'

const tool = (name: string, more: Partial<ToolSchema> = {}): ToolSchema => ({
  name,
  description: `runs ${name}`,
  parameters: { type: 'object' },
  ...more,
})
const [a, b, c] = [tool('a'), tool('b'), tool('c')]
const base = toRequest('one', {
  system: 'Be kind',
  temperature: 0.5,
  tools: [a, b, c],
  messages: [createUserMessage('one'), createUserMessage('two'), createUserMessage('three')],
})
const [first, second, third] = base.messages

const drifts: readonly (readonly [string, Partial<GenerateOptions>, string])[] = [
  ['system', { system: 'Be brief' }, 'in system: recorded "Be kind", now "Be brief";'],
  ['a missing system', { system: undefined }, 'in system: recorded "Be kind", now nothing;'],
  ['a reordered tool', { tools: [b, a, c] }, 'in tools[0] (name): recorded "a", now "b";'],
  [
    'parameters of a tool',
    { tools: [a, b, tool('c', { parameters: { type: 'object', required: ['x'] } })] },
    'in tools[2].parameters (required): recorded nothing, now ["x"];',
  ],
  [
    'a description',
    { tools: [a, tool('b', { description: 'r' }), c] },
    'in tools[1].description: recorded "runs b"',
  ],
  ['a tool less', { tools: [a, b] }, 'in tools[2]: recorded {"description":"runs c"'],
  [
    'an edited message',
    { messages: [first, createUserMessage('twice'), third].flatMap((it) => it ?? []) },
    'in messages[1] (content[0].text): recorded "two", now "twice";',
  ],
  [
    'a message more',
    { messages: [first, second, third, createUserMessage('four')].flatMap((it) => it ?? []) },
    'in messages[3]: recorded nothing, now {"content"',
  ],
  ['temperature', { temperature: 0.7 }, 'in temperature: recorded 0.5, now 0.7;'],
  ['an option more', { maxTokens: 5 }, 'in maxTokens: recorded nothing, now 5;'],
  ['model', { model: 'n' }, 'in model: recorded "m", now "n";'],
]

describe('a miss', () => {
  it.each(drifts)('names exactly the part that drifted: %s', async (_name, change, words) => {
    using file = new TestFile()
    await record(file, [[base, 'yes']])
    for (const match of ['session', 'fingerprint'] as const) {
      await using stage = await openStage({ file: file.path, mode: 'replay', match })
      const failure = failureOf(await stage.ask({ ...base, ...change }))
      expect(failure.code).toBe('REPLAY_DIVERGED')
      expect(failure.message).toContain(words)
      expect(failure.message).toContain(`line 2 of the recording ${file.path}`)
      expect(stage.ctx.llmReplay.report().misses).toEqual([failure])
      expect(() => stage.ctx.llmReplay.assertConsumed()).toThrow(
        /1 call was never asked for: line 2 \(call 1, p\/m\)/,
      )
    }
  })

  it('uses nothing up, so that the right call still gets its answer', async () => {
    using file = new TestFile()
    await record(file, [[base, 'yes']])
    await using stage = await openStage({ file: file.path, mode: 'replay' })
    await stage.ask({ ...base, system: 'no' })
    expect(failureOf(await stage.ask(base)).code).toBe('stop')
    stage.ctx.llmReplay.assertConsumed()
    expect(failureOf(await stage.ask(base)).code).toBe('REPLAY_EXHAUSTED')
  })

  it('does not count what an ignore rule names, which is not written either', async () => {
    using file = new TestFile()
    const ignore = ['temperature', 'messages[*].content[*].text']
    await record(file, [[base, 'yes']], { ignore })
    expect(file.text).not.toMatch(/temperature|three/)
    await using stage = await openStage({ file: file.path, mode: 'replay', ignore })
    const changed = { ...base, temperature: 1, messages: base.messages.map(() => createUserMessage('other')) }
    expect(failureOf(await stage.ask(changed)).code).toBe('stop')
  })

  it('counts the messages beside an ignored one where they are', async () => {
    using file = new TestFile()
    const ignore = ['messages[0]']
    await record(file, [[base, 'yes']], { ignore })
    await using stage = await openStage({ file: file.path, mode: 'replay', ignore })
    const [, second, third] = base.messages
    const messages = [createUserMessage('changed'), second, third].filter((message) => message !== undefined)
    const drifted = [...messages.slice(0, 2), createUserMessage('changed, too')]
    expect(failureOf(await stage.ask({ ...base, messages: drifted })).message).toContain('in messages[2]')
    expect(failureOf(await stage.ask({ ...base, messages })).code).toBe('stop')
  })

  it('finds the same request again, whatever redaction does to the order of keys', async () => {
    using file = new TestFile()
    const parameters = { a: 1, 'sk-planted0123456789abcdefXYZ': 2, z: 3 }
    const request = { ...base, tools: [{ name: 'f', description: '', parameters }] }
    await record(file, [[request, 'yes']])
    expect(file.text).not.toContain('sk-planted')
    await using stage = await openStage({ file: file.path, mode: 'replay' })
    expect(failureOf(await stage.ask(request)).code).toBe('stop')
  })

  it('does not count message ids, signal, headers and sessionId', async () => {
    using file = new TestFile()
    await record(file, [[toRequest('q', { sessionId: 'random-1', headers: { a: 'b' } }), 'yes']])
    expect(file.text).not.toContain('random-1')
    await using stage = await openStage({ file: file.path, mode: 'replay' })
    const request = toRequest('q', { sessionId: 'random-2', signal: new AbortController().signal })
    expect(failureOf(await stage.ask(request)).code).toBe('stop')
  })
})
