import { LlmError } from './error.ts'
import type { GenerateOptions, ToolSchema } from './types.ts'

type Test = (value: unknown) => boolean

interface FieldRule {
  readonly expected: string
  readonly test: Test
}

const filled: FieldRule = {
  expected: 'a non-empty string',
  test: (value) => isString(value) && value.trim() !== '',
}
const finite: FieldRule = { expected: 'a finite number', test: Number.isFinite }

const rules: Readonly<Record<keyof GenerateOptions, FieldRule>> = {
  provider: filled,
  model: filled,
  messages: { expected: 'an array of messages', test: Array.isArray },
  reasoningEffort: filled,
  system: { expected: 'a string', test: isString },
  tools: { expected: 'an array of tools with distinct names', test: isToolList },
  temperature: finite,
  maxTokens: {
    expected: 'a whole number above 0',
    test: (value) => Number.isSafeInteger(value) && Number(value) > 0,
  },
  stop: { expected: 'an array of non-empty strings', test: isStopList },
  signal: { expected: 'an AbortSignal', test: isSignal },
  sessionId: filled,
  purpose: {
    expected: 'compaction or session-title',
    test: (value) => value === 'compaction' || value === 'session-title',
  },
  toolChoice: { expected: 'auto, none, required or { name }', test: isToolChoice },
  responseFormat: { expected: 'an object of type text or json', test: isResponseFormat },
  topP: finite,
  seed: { expected: 'a whole number', test: Number.isSafeInteger },
  headers: { expected: 'an object of strings', test: isHeaders },
  providerOptions: { expected: 'an object', test: isObject },
}

const fields = Object.entries(rules)
const required: ReadonlySet<string> = new Set(['provider', 'model', 'messages'])

/** Throws `INVALID_REQUEST` for the first field that cannot be sent to any provider, naming it and its value. */
export function assertRequestFields(options: object): void {
  for (const [field, { expected, test }] of fields) {
    const value: unknown = Reflect.get(options, field)
    if (value === undefined && !required.has(field)) continue
    if (!test(value)) throw invalidField(field, expected, value)
  }
  assertChosenTool(options)
}

function assertChosenTool({ toolChoice, tools }: Partial<GenerateOptions>): void {
  const name = isObject(toolChoice) ? toolChoice.name : undefined
  if (name === undefined && toolChoice !== 'required') return
  const names = (tools ?? []).map((tool) => tool.name)
  if (name === undefined ? names.length > 0 : names.includes(name)) return
  const wanted = name === undefined ? 'some tool' : `the tool "${name}"`
  const message = `Could not send the request: toolChoice asks for ${wanted}, but tools holds ${describeNames(names)}`
  throw new LlmError(message, 'INVALID_REQUEST')
}

function describeNames(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ')
}

/** The error for a request that no provider could take. */
export function invalidField(field: string, expected: string, value: unknown): LlmError {
  const message = `Could not send the request: ${field} must be ${expected}, but is ${describe(value)}`
  return new LlmError(message, 'INVALID_REQUEST')
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === 'string')
    return value.length > 60 ? `a string of ${value.length} characters` : JSON.stringify(value)
  if (typeof value === 'function') return 'a function'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isSignal(value: unknown): boolean {
  if (!isObject(value) || typeof value['aborted'] !== 'boolean') return false
  return typeof value['addEventListener'] === 'function' && typeof value['removeEventListener'] === 'function'
}

function isStopList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => isString(item) && item !== '')
}

function isHeaders(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isString)
}

function isToolChoice(value: unknown): boolean {
  return (
    value === 'auto' ||
    value === 'none' ||
    value === 'required' ||
    (isObject(value) && filled.test(value['name']))
  )
}

function isResponseFormat(value: unknown): boolean {
  return isObject(value) && (value['type'] === 'text' || value['type'] === 'json')
}

function isToolList(value: unknown): boolean {
  if (!Array.isArray(value) || !value.every(isTool)) return false
  return new Set(value.map((tool: ToolSchema) => tool.name)).size === value.length
}

function isTool(value: unknown): value is ToolSchema {
  return (
    isObject(value) &&
    filled.test(value['name']) &&
    isString(value['description']) &&
    isObject(value['parameters'])
  )
}
