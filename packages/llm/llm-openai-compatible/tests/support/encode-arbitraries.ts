import type { ContentBlock, GenerateOptions, Message } from 'dsh-llm'
import fc from 'fast-check'
import type { Dialect } from '../../src/dialect.ts'
import { createDialect } from '../../src/dialect.ts'
import { dialects } from '../../src/dialects.ts'
import { assistant, call, ownAssistant, reasoning, result, system, text, tool, user } from './serialize-kit.ts'

/** Any text, lone surrogates and several planes included. */
const words: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('', 'hello', '\ud83d', '😀', '{"a":1}', '\n'),
)

const callId = fc.oneof(
  fc.constantFrom('call_0', 'call_1', 'abcdefghi', 'a|b'),
  fc.string({ minLength: 1, maxLength: 50 }),
)
const toolName = fc.constantFrom('clock', 'srv.get', 'read_file', 'x'.repeat(70))

const said: fc.Arbitrary<ContentBlock> = fc.oneof(words.map(text), words.map(reasoning))

/** One step of a conversation; calls are answered at once, as the runtime demands. */
const step: fc.Arbitrary<Message[]> = fc.oneof(
  fc.array(words, { maxLength: 3 }).map((texts) => [user(...texts)]),
  words.map((note) => [system(note)]),
  fc.array(said, { maxLength: 3 }).map((blocks) => [assistant(...blocks)]),
  fc
    .array(said, { maxLength: 2 })
    .map((blocks) => [
      ownAssistant({ response: { reasoningDetails: [{ type: 'reasoning.text', text: 'x' }] } }, ...blocks),
    ]),
  fc
    .record({
      blocks: fc.array(said, { maxLength: 2 }),
      ids: fc.uniqueArray(callId, { minLength: 1, maxLength: 3 }),
      name: toolName,
      output: words,
      isError: fc.boolean(),
      note: fc.option(words),
    })
    .map(({ blocks, ids, name, output, isError, note }) => [
      assistant(...blocks, ...ids.map((id) => call(id, name, output))),
      ...(note === null ? [] : [system(note)]),
      ...ids.map((id) => result(id, output, isError)),
    ]),
)

/** A conversation that may hold anything the runtime lets through. */
export const conversations: fc.Arbitrary<Message[]> = fc
  .array(step, { maxLength: 12 })
  .map((steps) => steps.flat())

const echoes: Dialect[] = (['never', 'when-present', 'with-tool-calls', 'always'] as const).map((echo) =>
  createDialect({ name: echo, request: { reasoningEcho: () => echo, joinsUserTurns: echo === 'always' } }),
)

/** Every preset, and every echo policy by itself. */
export const anyDialect: fc.Arbitrary<Dialect> = fc.constantFrom(...Object.values(dialects), ...echoes)

/** Options every dialect takes. */
export const anyOptions: fc.Arbitrary<Partial<GenerateOptions>> = fc.record(
  {
    model: fc.constantFrom('m', 'deepseek-flash', 'deepseek-r1', 'other'),
    system: words,
    temperature: fc.constantFrom(0, 1),
    maxTokens: fc.integer({ min: 1, max: 1000 }),
    stop: fc.array(words, { maxLength: 4 }),
    tools: fc.uniqueArray(toolName, { maxLength: 3 }).map((names) => names.map(tool)),
    reasoningEffort: fc.constantFrom('off', 'low'),
  },
  { requiredKeys: [] },
)
