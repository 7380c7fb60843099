import { CallId, type StreamChunk } from 'dsh-llm'
import { describe, expect, it } from 'vitest'
import type { RouteConfig } from '../src/index.ts'
import { ask, createStage, fails } from './support/route-stage.ts'

const id = CallId('call_1')
const call: readonly StreamChunk[] = [
  { type: 'block-start', index: 0, blockType: 'tool-call' },
  { type: 'tool-call-delta', index: 0, id, name: 'f', argumentsDelta: '{}' },
]
const wholeCall: readonly StreamChunk[] = [
  ...call,
  { type: 'block-end', index: 0, block: { type: 'tool-call', id, name: 'f', arguments: '{}' } },
]
const text: readonly StreamChunk[] = [
  { type: 'block-start', index: 0, blockType: 'text' },
  { type: 'text-delta', index: 0, text: 'Dear' },
]

describe.each(['first-content', 'finish'] as const)('route until %s', (until) => {
  it.each<[string, readonly StreamChunk[], readonly string[]]>([
    ['usage', [{ type: 'usage', usage: { outputTokens: 4 } }], ['first-content', 'finish']],
    ['the start of a text', text.slice(0, 1), ['first-content', 'finish']],
    ['some text', text, ['finish']],
    ['half a tool call', call, ['finish']],
    ['a whole tool call', wholeCall, []],
  ])('decides after %s', async (_name, chunks, switchedIn) => {
    const to = [{ provider: 'b', model: 'm' }]
    const config: RouteConfig = { fallbacks: [{ from: { provider: 'a' }, on: ['SERVER'], to }], until }
    const scripts = { a: [fails('SERVER', chunks)], b: [{ text: 'Hi' }] }
    await using stage = await createStage(scripts, { config })
    const { switches, text: answer, attempts } = await ask(stage)
    const isSwitched = switchedIn.includes(until)
    expect(switches).toEqual(isSwitched ? ['2 SERVER → b/m'] : [])
    if (isSwitched) expect(answer).toBe('Hi')
    if (chunks[0]?.type === 'usage') expect(attempts[0]?.usage).toEqual({ outputTokens: 4 })
  })
})
