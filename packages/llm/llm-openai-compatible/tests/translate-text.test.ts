import { describe, expect, it } from 'vitest'
import { choice, done, type Reading, summary, translate } from './support/translate-events.ts'

interface Row {
  readonly name: string
  readonly data: readonly string[]
  readonly blocks: readonly string[]
  readonly options?: Reading
}

const think = { rules: { inlineReasoning: { open: '<think>', close: '</think>' } } }

const rows: readonly Row[] = [
  {
    name: 'joins text deltas into one block',
    data: [choice({ role: 'assistant', content: '' }), choice({ content: 'He' }), choice({ content: 'llo' })],
    blocks: ['text Hello'],
  },
  {
    name: 'opens no block for empty, null and missing content',
    data: [
      choice({ content: null, reasoning_content: '' }),
      choice({ content: '' }),
      choice({}),
      choice({ content: 'x' }),
    ],
    blocks: ['text x'],
  },
  {
    name: 'closes reasoning before text and numbers blocks anew when they alternate',
    data: ['a', 'b', 'c'].flatMap((text) => [choice({ reasoning_content: text }), choice({ content: text })]),
    blocks: ['reasoning a', 'text a', 'reasoning b', 'text b', 'reasoning c', 'text c'],
  },
  {
    name: 'takes one text that two reasoning fields repeat once',
    data: [
      choice({ reasoning: 'r', reasoning_content: 'r' }),
      choice({ reasoning: 's', reasoning_content: 's', content: null }),
    ],
    blocks: ['reasoning rs'],
  },
  {
    name: 'reads reasoning in any of the named fields',
    data: [choice({ reasoning: 'a', content: '' }), choice({ content: '42' })],
    blocks: ['reasoning a', 'text 42'],
  },
  {
    name: 'reads reasoning that comes in reasoning_details alone',
    data: [
      choice({ reasoning_details: [{ type: 'reasoning.text', text: 'deep', index: 0 }] }),
      choice({ content: 'x' }),
    ],
    blocks: ['reasoning deep', 'text x'],
  },
  {
    name: 'does not repeat reasoning_details beside a reasoning field',
    data: [choice({ reasoning: 'r', reasoning_details: [{ type: 'reasoning.text', text: 'r', index: 0 }] })],
    blocks: ['reasoning r'],
  },
  {
    name: 'writes reasoning, text and refusal of one delta in this order',
    data: [choice({ refusal: ' no', content: 'text', reasoning: 'why' })],
    blocks: ['reasoning why', 'text text no'],
  },
  {
    name: 'reads typed parts of several shapes',
    data: [
      choice({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] }),
      choice({ content: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: '!' }] }] }),
      choice({
        content: [{ type: 'text', text: 'Hi' }, { type: 'image' }, 'lo', { type: 'refusal', refusal: '?' }],
      }),
      choice({ content: { type: 'text', text: '.' } }),
    ],
    blocks: ['reasoning Hm!', 'text Hilo?.'],
  },
  {
    name: 'reads choice 0 only, wherever it stands',
    data: [
      JSON.stringify({
        choices: [
          { index: 1, delta: { content: 'B' } },
          { index: 0, delta: { content: 'A' } },
        ],
      }),
      JSON.stringify({ choices: [{ index: 1, delta: { content: 'B' }, finish_reason: 'length' }] }),
      JSON.stringify({ choices: [{ delta: { content: 'a' } }] }),
    ],
    blocks: ['text Aa'],
  },
  {
    name: 'survives chunks without choices, delta or sense',
    data: [
      JSON.stringify({ choices: [], prompt_filter_results: [] }),
      JSON.stringify({ choices: [null, 3, {}] }),
      JSON.stringify({ choices: [{ index: 0, delta: null }] }),
      JSON.stringify({ object: 'ping' }),
      'null',
      choice({ content: 'ok', tool_calls: null }),
      choice({ content: '!', tool_calls: [], error: null }),
    ],
    blocks: ['text ok!'],
  },
  {
    name: 'puts a character together that is cut between two deltas',
    data: [choice({ content: '\ud83d' }), choice({ content: '\ude00' })],
    blocks: ['text 😀'],
  },
  {
    name: 'takes the cumulative message beside a delta for what it is',
    data: [
      JSON.stringify({ choices: [{ index: 0, delta: { content: 'a' }, message: { content: 'a' } }] }),
      JSON.stringify({ choices: [{ index: 0, message: { content: 'a' } }] }),
    ],
    blocks: ['text a'],
  },
  {
    name: 'leaves think tags in the text unless the dialect says otherwise',
    data: [choice({ content: '<think>a</think>b' })],
    blocks: ['text <think>a</think>b'],
  },
  {
    name: 'splits think tags that are cut anywhere',
    data: 'x<think>a<b</think>c<think'.split('').map((character) => choice({ content: character })),
    blocks: ['text x', 'reasoning a<b', 'text c<think'],
    options: think,
  },
  {
    name: 'gives up a half think tag when reasoning comes in its own field',
    data: [choice({ content: '<thi' }), choice({ reasoning: 'r' }), choice({ content: 'nk>' })],
    blocks: ['text <thi', 'reasoning r', 'text nk>'],
    options: think,
  },
]

describe('Translator, text and reasoning', () => {
  it.each(rows)('$name', ({ data, blocks, options }) => {
    expect(summary(translate([...data, choice({}, 'stop'), done], options))).toEqual([...blocks, 'stop'])
  })

  it('emits a delta as soon as its event is there', () => {
    expect(translate([choice({ content: 'a' })]).slice(0, 2)).toEqual([
      { type: 'block-start', index: 0, blockType: 'text' },
      { type: 'text-delta', index: 0, text: 'a' },
    ])
  })

  it('keeps what the wire says about the answer for the finish', () => {
    const chunks = translate([choice({ content: 'a' }), choice({}, 'end_turn'), done], { requestId: 'req-1' })
    const response = {
      provider: 'p',
      model: 'm',
      id: 'c1',
      servedModel: 'served',
      requestId: 'req-1',
      rawFinishReason: 'end_turn',
    }
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', response })
  })

  it('takes id and model from the first chunk that names them', () => {
    const empty = JSON.stringify({ id: '', model: '', choices: [] })
    const chunks = translate([empty, choice({ content: 'a' }), done])
    expect(chunks.at(-1)).toMatchObject({ response: { id: 'c1', servedModel: 'served' } })
  })
})
