import { callDelta, choice, done } from './translate-events.ts'

const head = (index: number, id: string, name: string): string =>
  callDelta({ index, id, type: 'function', function: { name, arguments: '{"z"' } })
const rest = (index: number): string => callDelta({ index, function: { arguments: `:${index}}` } })

/** One answer of each kind, as the data of its events; the finish reason and the end marker come last. */
export const answers: Readonly<Record<string, readonly string[]>> = {
  text: [choice({ content: 'Hel' }), choice({ content: 'lo' }), choice({}, 'stop'), done],
  reasoning: [choice({ reasoning_content: 'why' }), choice({ content: 'so' }), choice({}, 'stop'), done],
  'one call': [head(0, 'a', 'f'), rest(0), choice({}, 'tool_calls'), done],
  'parallel calls': [head(0, 'a', 'f'), head(1, 'b', 'g'), rest(1), rest(0), choice({}, 'tool_calls'), done],
}

/** What each comes to if nothing goes wrong, in the words of `summary`. */
export const complete: Readonly<Record<string, readonly string[]>> = {
  text: ['text Hello', 'stop'],
  reasoning: ['reasoning why', 'text so', 'stop'],
  'one call': ['call a f {"z":0}', 'tool-calls'],
  'parallel calls': ['call a f {"z":0}', 'call b g {"z":1}', 'tool-calls'],
}

/**
 * What is kept of each when only its first `n` events have come: blocks that are closed or open, by R4 and R7. The entry
 * at position 0 is for no event at all.
 */
export const kept: Readonly<Record<string, readonly (readonly string[])[]>> = {
  text: [[], ['open text'], ['open text']],
  reasoning: [[], ['open reasoning'], ['reasoning why', 'open text']],
  'one call': [[], ['open tool-call'], ['open tool-call']],
  'parallel calls': [
    [],
    ['open tool-call'],
    ['open tool-call', 'open tool-call'],
    ['open tool-call', 'open tool-call'],
    ['open tool-call', 'open tool-call'],
  ],
}

export function frame(data: string): string {
  return `data: ${data}\n\n`
}
