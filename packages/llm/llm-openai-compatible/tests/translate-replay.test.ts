import { describe, expect, it } from 'vitest'
import { readReplayState } from '../src/replay-state.ts'
import { callDelta, choice, done, type Reading, translate } from './support/translate-events.ts'

const signature = { google: { thought_signature: 'QUJD' } }
const call = (id: string, extra: object): object => ({
  id,
  function: { name: 'f', arguments: '{"z":1}' },
  ...extra,
})

function replayStateOf(data: readonly string[], options?: Reading): unknown {
  const finish = translate(data, options).at(-1)
  return finish?.type === 'finish' ? finish.replayState : undefined
}

describe('Translator, replay state', () => {
  it('keeps the fields of each call with its block', () => {
    const data = [
      choice({ content: 't' }),
      callDelta(call('a', { extra_content: signature }), call('b', {})),
      done,
    ]
    expect(replayStateOf(data)).toEqual({ response: {}, blocks: [null, { extraContent: signature }] })
  })

  it('merges the pieces of reasoning_details and keeps encrypted parts whole', () => {
    const details = (...items: readonly object[]): string => choice({ reasoning_details: items })
    const data = [
      details({ type: 'reasoning.text', text: 'Thi', format: 'f', index: 0 }),
      details({ type: 'reasoning.text', text: 'nk', index: 0 }),
      details(
        { type: 'reasoning.text', signature: 'c2ln', index: 0 },
        { type: 'reasoning.encrypted', data: 'A', index: 1 },
      ),
      details({ type: 'reasoning.encrypted', data: 'B', index: 1 }),
      choice({ content: 'x' }, 'stop'),
      done,
    ]
    const reasoningDetails = [
      { type: 'reasoning.text', text: 'Think', format: 'f', index: 0, signature: 'c2ln' },
      { type: 'reasoning.encrypted', data: 'A', index: 1 },
      { type: 'reasoning.encrypted', data: 'B', index: 1 },
    ]
    expect(replayStateOf(data)).toEqual({ response: { reasoningDetails } })
  })

  it.each([
    ['nothing to keep', [choice({ content: 'x' }, 'stop'), done], {}],
    ['a failure', [callDelta(call('a', { extra_content: signature }))], {}],
    [
      'a dialect that keeps none',
      [callDelta(call('a', { extra_content: signature })), done],
      { rules: { keepsReplayState: false } },
    ],
  ])('is absent after %s', (_name, data, options) => {
    expect(replayStateOf(data, options)).toBeUndefined()
  })

  it('is read back as it was kept', () => {
    expect(
      readReplayState({ response: { reasoningDetails: [1] }, blocks: [null, { extraContent: signature }] }),
    ).toEqual({
      reasoningDetails: [1],
      blocks: [undefined, { extraContent: signature }],
    })
  })

  it.each([undefined, { response: 'odd' }, { response: { reasoningDetails: 3 }, blocks: ['odd'] }])(
    'reads %j as nothing',
    (envelope) => {
      const state = readReplayState(envelope)
      expect(state.reasoningDetails).toBeUndefined()
      expect(state.blocks.every((block) => block === undefined)).toBe(true)
    },
  )
})
