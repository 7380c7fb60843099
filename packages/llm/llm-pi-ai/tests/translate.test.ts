import { createLlm, createUserMessage, type StreamChunk } from 'dsh-llm'
import { collectChunks, expectGrammar } from 'dsh-llm-testkit'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PiEvent, PiMessage } from '../src/pi-api.ts'
import { PlayedAdapter } from './support/played-adapter.ts'
import { piMessage, playing } from './support/pi-stream.ts'

/** What the adapter itself makes of events, as the boundary of the runtime lets it through. */
async function play(events: readonly PiEvent[]): Promise<readonly StreamChunk[]> {
  await using host = await createLlm()
  host.ctx.llm.registerAdapter(['p'], new PlayedAdapter('openai-responses', playing(events)))
  return collectChunks(host.llm.stream({ provider: 'p', model: 'm', messages: [createUserMessage('Hi')] }))
}

const index = fc.nat(3)
const text = fc.constantFrom('', 'a', '\n\n', '{"a"', ':1}', '👋', '\ud83d')

/** Any block in any state, as pi-ai's message may show it to whoever looks late. */
const block: fc.Arbitrary<PiMessage['content'][number]> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text }),
  fc.record({
    type: fc.constant('thinking' as const),
    thinking: text,
    thinkingSignature: fc.constantFrom('', '{"encrypted_content":"x"}', 'sig'),
    redacted: fc.boolean(),
  }),
  fc.record({
    type: fc.constant('toolCall' as const),
    id: fc.constantFrom('', 'call_1|fc_1', 'call_1', 'call_2|undefined'),
    name: fc.constantFrom('', 'look'),
    arguments: fc.constantFrom({}, { a: 1 }),
  }),
)
const message = fc
  .record({
    content: fc.array(block, { maxLength: 4 }),
    stopReason: fc.constantFrom('stop', 'length', 'toolUse', 'error', 'aborted'),
    rawStopReason: fc.constantFrom(undefined, 'completed', 'incomplete.content_filter', 'x'),
    errorMessage: fc.constantFrom(undefined, '', '429 {"error":{}}', 'terminated'),
  })
  .map((facts) => piMessage(facts as Partial<PiMessage>))

const event: fc.Arbitrary<PiEvent> = message.chain((partial) =>
  fc
    .oneof(
      fc.record({
        type: fc.constantFrom('text_start', 'thinking_start', 'toolcall_start'),
        contentIndex: index,
      }),
      fc.record({
        type: fc.constantFrom('text_delta', 'thinking_delta', 'toolcall_delta'),
        contentIndex: index,
        delta: text,
      }),
      fc.record({ type: fc.constantFrom('text_end', 'thinking_end'), contentIndex: index, content: text }),
      index.map((contentIndex) => {
        const toolCall = { type: 'toolCall', id: 'call_1', name: 'look', arguments: { a: 1 } }
        return { type: 'toolcall_end', contentIndex, toolCall }
      }),
      fc
        .constantFrom('stop', 'length', 'toolUse', 'deferred')
        .map((reason) => ({ type: 'done', reason, message: partial })),
      fc.constantFrom('error', 'aborted').map((reason) => ({ type: 'error', reason, error: partial })),
    )
    .map((given) => ({ partial, ...given }) as PiEvent),
)

describe('events of pi-ai', () => {
  it('become a legal stream, in whatever order they come', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 12 }), async (events) => {
        const chunks = await play(events)
        expectGrammar(chunks)
        const last = chunks.at(-1)
        const code = last?.type === 'finish' && 'failure' in last.reason ? last.reason.failure.code : ''
        // The boundary found nothing to correct.
        expect(code).not.toBe('ADAPTER_PROTOCOL')
      }),
      { numRuns: 400 },
    )
  })

  it('that part summaries end no text with the break between them', async () => {
    const content = [{ type: 'thinking' as const, thinking: 'a\n\nb' }]
    const partial = piMessage({ content })
    const delta = (piece: string): PiEvent => ({
      type: 'thinking_delta',
      contentIndex: 0,
      delta: piece,
      partial,
    })
    const chunks = await play([
      { type: 'thinking_start', contentIndex: 0, partial },
      ...['a', '\n\n', 'b', '\n\n'].map(delta),
      { type: 'thinking_end', contentIndex: 0, content: 'a\n\nb', partial },
      { type: 'done', reason: 'stop', message: partial },
    ])
    expect(chunks).toContainEqual({ type: 'block-end', index: 0, block: { type: 'reasoning', text: 'a\n\nb' } })
  })

  it('keep a break that really ends a text, and a text that came without pieces', async () => {
    const partial = piMessage({
      content: [
        { type: 'thinking', thinking: 'a\n\n' },
        { type: 'text', text: 'whole' },
      ],
    })
    const chunks = await play([
      { type: 'thinking_delta', contentIndex: 0, delta: 'a', partial },
      { type: 'thinking_delta', contentIndex: 0, delta: '\n\n', partial },
      { type: 'thinking_end', contentIndex: 0, content: 'a\n\n', partial },
      { type: 'text_start', contentIndex: 1, partial },
      { type: 'text_end', contentIndex: 1, content: 'whole', partial },
      { type: 'done', reason: 'stop', message: partial },
    ])
    const blocks = chunks.flatMap((chunk) => (chunk.type === 'block-end' ? [chunk.block] : []))
    expect(blocks).toEqual([
      { type: 'reasoning', text: 'a\n\n' },
      { type: 'text', text: 'whole' },
    ])
  })

  it('keep two blocks of thinking apart, each with its own signature', async () => {
    const content = [
      '{"type":"reasoning","encrypted_content":"1"}',
      '{"type":"reasoning","encrypted_content":"2"}',
    ].map((thinkingSignature, at) => ({
      type: 'thinking' as const,
      thinking: `t${at}`,
      thinkingSignature,
    }))
    const partial = piMessage({ content })
    const pieces = content.flatMap(({ thinking }, contentIndex): PiEvent[] => [
      { type: 'thinking_delta', contentIndex, delta: thinking, partial },
      { type: 'thinking_end', contentIndex, content: thinking, partial },
    ])
    const chunks = await play([...pieces, { type: 'done', reason: 'stop', message: partial }])
    expect(chunks.at(-1)).toMatchObject({
      replayState: {
        blocks: [
          { signature: '{"type":"reasoning","encrypted_content":"1"}' },
          { signature: '{"type":"reasoning","encrypted_content":"2"}' },
        ],
      },
    })
  })
})
