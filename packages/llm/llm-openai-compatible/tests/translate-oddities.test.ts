import { describe, expect, it } from 'vitest'
import { createResponseRules } from '../src/response-rules.ts'
import { frame } from './support/four-answers.ts'
import { callDelta, choice, done, summary, translate } from './support/translate-events.ts'
import { ask } from './support/whole-stack.ts'

const hello = [choice({ content: 'Hello' }), choice({}, 'stop'), done]

describe('Translator, oddities', () => {
  it.each([
    ['ping', 'ping'],
    ['keep-alive', '1732'],
    ['heartbeat', '"alive"'],
    ['Ping', '{}'],
  ])('passes over a %s event that holds %s', (event, data) => {
    expect(summary(translate([{ event, data }, ...hello]))).toEqual(['text Hello', 'stop'])
  })

  it('does not pass over other named events that cannot be read, which may be a part of the answer', () => {
    const failing = translate([choice({ content: 'Hel' }), { event: 'failure', data: 'worker lost' }])
    expect(summary(failing)).toEqual(['open text', 'error MALFORMED_RESPONSE'])
  })

  it('reads choice 0 whose index is in quotes', () => {
    const data = JSON.stringify({ choices: [{ index: '0', delta: { content: 'Hi' }, finish_reason: 'stop' }] })
    expect(summary(translate([data, done]))).toEqual(['text Hi', 'stop'])
  })

  it('keeps interleaved calls apart whose indexes are in quotes', () => {
    const events = [
      callDelta({ index: '0', id: 'a', function: { name: 'f', arguments: '{"z"' } }),
      callDelta({ index: '1', id: 'b', function: { name: 'g', arguments: '{"z"' } }),
      callDelta({ index: '0', function: { arguments: ':0}' } }),
      callDelta({ index: '1', function: { arguments: ':1}' } }),
      choice({}, 'tool_calls'),
      done,
    ]
    expect(summary(translate(events))).toEqual(['call a f {"z":0}', 'call b g {"z":1}', 'tool-calls'])
  })

  it('is not stopped by an error text made to slow its patterns down', () => {
    for (const word of ['exceed', 'corrupt', 'quota ']) {
      const events = [JSON.stringify({ error: { message: word.repeat(200_000) } })]
      expect(summary(translate(events))).toEqual(['error SERVER'])
    }
  })

  it('masks secrets in the facts of the finish', () => {
    const redact = (text: string): string => text.replaceAll('SENTINEL', '[masked]')
    const data = JSON.stringify({
      id: 'SENTINEL-1',
      model: 'SENTINEL',
      choices: [{ delta: { content: 'Hi' }, finish_reason: 'SENTINEL' }],
    })
    const finish = translate([data, done], { redact }).at(-1)
    expect(finish).toMatchObject({ response: { id: '[masked]-1', servedModel: '[masked]' } })
    expect(JSON.stringify(finish)).not.toContain('SENTINEL')
  })
})

describe('a call whose arguments are a megabyte in 20,000 pieces', () => {
  it('comes out whole, each piece once', async () => {
    const piece = 'y'.repeat(50)
    const events = [
      callDelta({ index: 0, id: 'a', function: { name: 'f', arguments: '{"t":"' } }),
      ...Array<string>(20_000).fill(callDelta({ index: 0, function: { arguments: piece } })),
      callDelta({ index: 0, function: { arguments: '"}' } }),
      choice({}, 'tool_calls'),
      done,
    ]
    const { lines, chunks } = await ask({ chunks: events.map(frame), batched: true })
    expect(lines).toEqual([`call a f {"t":"${piece.repeat(20_000)}"}`, 'tool-calls'])
    expect(chunks).toHaveLength(20_005)
  })
})

describe('createResponseRules', () => {
  it('finds wire values that a dialect spells with capitals', () => {
    const rules = createResponseRules({
      finishReasons: { MaxLength: 'max-tokens' },
      failureCodes: { PrepaidBillOverdue: 'QUOTA' },
    })
    expect(summary(translate([choice({ content: 'a' }, 'MaxLength'), done], { rules }))).toEqual([
      'text a',
      'max-tokens',
    ])
    const failed = translate([JSON.stringify({ error: { code: 'PrepaidBillOverdue', message: 'x' } })], {
      rules,
    })
    expect(summary(failed)).toEqual(['error QUOTA'])
  })
})
