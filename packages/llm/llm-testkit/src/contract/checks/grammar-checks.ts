import type { ContentBlock, StreamChunk } from 'dsh-llm'
import type { ScriptedAnswer } from '../../scripted/scripted-answer.ts'
import { quote } from '../../stream/describe-chunk.ts'
import { fixFor } from '../../stream/expect-grammar.ts'
import { cutEvery } from '../../wire/cut-bytes.ts'
import { toPieces } from '../../wire/neutral-answer.ts'
import type { AdapterRun } from '../adapter-run.ts'
import type { CheckDefinition } from '../contract-check.ts'
import { ContractError, must } from '../contract-rules.ts'
import type { ContractFeature } from '../contract-setup.ts'
import { answerWithId, contractCallId, renderScripted, toBytes } from '../render-scripted.ts'
import { scripts } from './grammar-scripts.ts'

/** One check for each script: the grammar, the whole content, and how it ends. */
export const grammarChecks: readonly CheckDefinition[] = [
  ...scripts.map(({ name, answer, ends }): CheckDefinition => ({
    name,
    rule: 'R4',
    needs: featuresOf(answer),
    async run(stage) {
      const run = await stage.run(await stage.play([answer]))
      run.assertGrammar()
      assertEnd(run, ends)
      assertContent(run.chunks, answer, {
        isCut: ends === 'max-tokens',
        keepsBlanks: !stage.lacks('argument-text'),
      })
    },
  })),
  {
    name: 'reads the same answer from single bytes',
    rule: 'R4',
    onWire: true,
    async run(stage) {
      const answer = { text: ['Grüße, ', '世界 ', '👋🏽'] }
      const rendered = renderScripted(answer, stage.wire)
      const adapter = await stage.serve([{ ...rendered, chunks: cutEvery(toBytes(rendered), 1) }])
      const run = await stage.run(adapter)
      run.assertGrammar()
      assertEnd(run, 'stop')
      assertContent(run.chunks, answer, { isCut: false, keepsBlanks: true })
    },
  },
  {
    name: 'keeps the id that the wire gives a call',
    rule: 'R5',
    onWire: true,
    needs: ['calls'],
    async run(stage) {
      if (!stage.carriesCallIds) return
      const run = await stage.run(await stage.play([answerWithId]))
      const ids = run.chunks.flatMap((chunk) => (chunk.type === 'tool-call-delta' ? [chunk.id] : []))
      const isKept = ids[0]?.includes(contractCallId) === true
      if (isKept) return
      const seen = `the call has the id ${quote(ids[0])}, the wire said ${quote(contractCallId)}`
      throw new ContractError({ rule: 'R5', seen, fix: fixFor('R5') })
    },
  },
]

function featuresOf({ reasoning, calls = [], finish }: ScriptedAnswer): readonly ContractFeature[] {
  return [
    ...(reasoning === undefined ? [] : (['reasoning'] as const)),
    ...(calls.length > 0 ? (['calls'] as const) : []),
    ...(calls.length > 1 ? (['parallel-calls'] as const) : []),
    ...(finish === 'max-tokens' ? (['max-tokens'] as const) : []),
  ]
}

/** How the run must end: a kind of finish, or the code of a failure. */
function assertEnd(run: AdapterRun, expected: string): void {
  const seen = run.failure?.code ?? run.reason?.kind
  if (seen === expected) return
  const rule = expected === 'EMPTY_RESPONSE' ? 'R9' : 'R8'
  throw new ContractError({
    rule,
    seen: `it ended with ${run.describeEnd()} where ${expected} was due`,
    fix: 'map each way in which the wire ends to its finish: a normal end, a call to run, a cut, a failure with its code',
  })
}

interface ContentExpectation {
  /** A cut call has no block. */
  readonly isCut: boolean
  /** Whether the text of arguments is the wire's own. */
  readonly keepsBlanks: boolean
}

/** Everything the model said, block by block and letter by letter. */
function assertContent(
  chunks: readonly StreamChunk[],
  answer: ScriptedAnswer,
  { isCut, keepsBlanks }: ContentExpectation,
): void {
  const blocks = chunks.flatMap((chunk) => (chunk.type === 'block-end' ? [chunk.block] : []))
  const given = [joined(blocks, 'reasoning'), joined(blocks, 'text')]
  const wanted = [toPieces(answer.reasoning).join(''), toPieces(answer.text).join('')]
  for (const [at, kind] of ['reasoning', 'text'].entries()) {
    must(
      given[at] === wanted[at],
      'R4',
      () => `the ${kind} is ${quote(given[at])}, the wire said ${quote(wanted[at])}`,
    )
  }
  if (isCut) return assertNoCallToRun(blocks)
  const toText = keepsBlanks ? (text: string): string => text : withoutBlanks
  const calls = blocks.flatMap((block) =>
    block.type === 'tool-call' ? [[block.name, toText(block.arguments)]] : [],
  )
  const wire = (answer.calls ?? []).map((call) => [call.name, toText(toPieces(call.arguments).join(''))])
  must(
    JSON.stringify(calls) === JSON.stringify(wire),
    'R4',
    () => `the calls are ${quote(calls)}, the wire said ${quote(wire)}`,
  )
  assertDistinctIds(blocks)
}

/** JSON text without the blanks between its tokens; those within strings stay. */
function withoutBlanks(json: string): string {
  return json.replaceAll(/("(?:\\.|[^"\\])*")|\s+/g, '$1')
}

function joined(blocks: readonly ContentBlock[], type: 'text' | 'reasoning'): string {
  return blocks.map((block) => (block.type === type ? block.text : '')).join('')
}

function assertNoCallToRun(blocks: readonly ContentBlock[]): void {
  const call = blocks.find((block) => block.type === 'tool-call')
  if (call === undefined) return
  const seen = `a call was closed although max-tokens cut it: ${quote(call)}`
  throw new ContractError({
    rule: 'R7',
    seen,
    fix: 'leave a call open that the token limit has cut: it may not be run',
  })
}

function assertDistinctIds(blocks: readonly ContentBlock[]): void {
  const ids = blocks.flatMap((block) => (block.type === 'tool-call' ? [block.id] : []))
  if (new Set(ids).size === ids.length) return
  throw new ContractError({ rule: 'R5', seen: `calls share an id: ${ids.join(', ')}`, fix: fixFor('R5') })
}
