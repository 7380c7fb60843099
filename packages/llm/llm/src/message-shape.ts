import { all, fields, listOf, oneOf, plainObject, type Rule, rule, someText, text } from './value-rules.ts'

const content: Rule = listOf(all(plainObject, fields({ type: someText }), checkBlock))

/** What readers of a history rely on, by type of block; blocks of other packages only need their type. */
const blocks: ReadonlyMap<unknown, Rule> = new Map([
  ['text', fields({ text })],
  ['reasoning', fields({ text })],
  ['tool-call', fields({ id: someText, name: someText, arguments: text })],
  [
    'tool-result',
    fields(
      { toolCallId: someText, content },
      { isError: rule('a boolean', (value) => typeof value === 'boolean') },
    ),
  ],
])

function checkBlock(block: unknown, path: string): ReturnType<Rule> {
  return blocks.get((block as { type: string }).type)?.(block, path)
}

/** What every message is; sources of other packages only need their `kind`. */
export const messageShape: Rule = all(
  plainObject,
  fields({
    id: someText,
    role: oneOf('system', 'user', 'assistant'),
    source: all(plainObject, fields({ kind: someText })),
    content,
  }),
)
