import { LlmError, type LlmErrorOptions } from './error.ts'
import type { GenerateOptions } from './types.ts'
import {
  array,
  describeFault,
  distinctListOf,
  fields,
  filledText,
  isObject,
  listOf,
  object,
  oneOf,
  positiveCount,
  type Rule,
  rule,
  someText,
  text,
} from './value-rules.ts'

const finite = rule('a finite number', Number.isFinite)
const named = fields({ name: filledText })
const choice = rule('auto, none, required or { name }', (value) =>
  ['auto', 'none', 'required'].includes(value as string),
)

type Required = 'provider' | 'model' | 'messages'

const required: Readonly<Record<Required, Rule>> = {
  provider: filledText,
  model: filledText,
  messages: array,
}

const optional: Readonly<Record<Exclude<keyof GenerateOptions, Required>, Rule>> = {
  reasoningEffort: filledText,
  system: text,
  tools: distinctListOf(fields({ name: filledText, description: text, parameters: object }), 'name'),
  temperature: finite,
  maxTokens: positiveCount,
  stop: listOf(someText),
  signal: rule('an AbortSignal', isSignal),
  sessionId: filledText,
  purpose: oneOf('compaction', 'session-title'),
  toolChoice: (value, path) => (isObject(value) ? named : choice)(value, path),
  responseFormat: fields({ type: oneOf('text', 'json') }),
  topP: finite,
  seed: rule('a whole number', Number.isSafeInteger),
  headers: rule('an object of strings', isHeaders),
  providerOptions: object,
}

const request = fields(required, optional)

/** Throws `INVALID_REQUEST` for the first field that cannot be sent to any provider, naming it and its value. */
export function assertRequestFields(options: object): void {
  const fault = request(options, '')
  if (fault !== undefined) throw unsendable(describeFault(fault))
  assertChosenTool(options)
}

function assertChosenTool({ toolChoice, tools = [] }: Partial<GenerateOptions>): void {
  const name = typeof toolChoice === 'object' ? toolChoice.name : undefined
  if (name === undefined && toolChoice !== 'required') return
  const names = tools.map((tool) => tool.name)
  if (name === undefined ? names.length > 0 : names.includes(name)) return
  const wanted = name === undefined ? 'some tool' : `the tool "${name}"`
  throw unsendable(`toolChoice asks for ${wanted}, but tools holds ${names.join(', ') || 'none'}`)
}

/** The error for a request that no provider could take. */
export function unsendable(why: string, options?: LlmErrorOptions): LlmError {
  return new LlmError(`Could not send the request: ${why}`, 'INVALID_REQUEST', options)
}

function isHeaders(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((header) => typeof header === 'string')
}

function isSignal(value: unknown): boolean {
  if (!isObject(value) || typeof value['aborted'] !== 'boolean') return false
  return typeof value['addEventListener'] === 'function' && typeof value['removeEventListener'] === 'function'
}
