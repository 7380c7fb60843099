import { type GenerateOptions, type JsonObject, type JsonValue, LlmError } from 'dsh-llm'
import type { ProviderFields } from './provider-options.ts'
import type { RequestRules } from './request-rules.ts'
import { assertStrictTaken, serializeToolChoice, serializeTools } from './serialize-tools.ts'
import { toWireToolName, type ToolNames } from './tool-names.ts'
import { wellFormed, wellFormedJson } from './well-formed.ts'
import type { WireTool } from './wire-request.ts'

/** A body in the making: the order in which names are put is their order on the wire. */
type Fields = Record<string, JsonValue | readonly WireTool[]>

/** Everything in a body but `model` and `messages`. Only what the caller asked for is there, and streaming. */
export function serializeFields(
  request: GenerateOptions,
  rules: RequestRules,
  context: { readonly names: ToolNames; readonly provided: ProviderFields },
): JsonObject {
  const { names, provided } = context
  assertStrictTaken(provided, rules)
  const { tools = [], reasoningEffort } = request
  const fields: Fields = { stream: true }
  put(fields, 'stream_options', rules.asksForUsage ? { include_usage: true } : undefined)
  addSampling(fields, request, rules)
  put(fields, 'tools', tools.length === 0 ? undefined : serializeTools(tools, names, provided.strictTools))
  put(fields, 'tool_choice', serializeToolChoice(request, rules, names))
  put(fields, 'response_format', serializeFormat(request, rules, provided.strictSchema))
  if (reasoningEffort !== undefined) Object.assign(fields, rules.effortFields(reasoningEffort))
  addProvided(fields, provided.body)
  return fields as JsonObject
}

/** Absent stays absent: some servers take `null` for a value and others refuse the key. */
function put(fields: Fields, name: string, value: JsonValue | readonly WireTool[] | undefined): void {
  if (value !== undefined) fields[name] = value
}

/** `put` tells a temperature or seed of 0 from none. */
function addSampling(fields: Fields, request: GenerateOptions, rules: RequestRules): void {
  put(fields, rules.maxTokensField, request.maxTokens)
  put(fields, 'temperature', request.temperature)
  put(fields, 'top_p', request.topP)
  put(fields, 'stop', serializeStop(request.stop, rules))
  if (request.seed === undefined) return
  if (rules.seedField === undefined) {
    throw new LlmError('seed cannot be honoured: this server has none, leave it out', 'UNSUPPORTED_OPTION')
  }
  fields[rules.seedField] = request.seed
}

/** Always a list: not every server takes a single text. Too many are refused here, since some servers just drop the rest. */
function serializeStop(stop: readonly string[] | undefined, { maxStops }: RequestRules): JsonValue | undefined {
  if (stop === undefined || stop.length === 0) return undefined
  if (stop.length <= maxStops) return stop.map(wellFormed)
  const message = `The request has ${stop.length} stop texts, this server takes at most ${maxStops}, give fewer`
  throw new LlmError(message, 'INVALID_REQUEST')
}

/** Strictness is only said when asked for: a strict schema must keep to a subset that few schemas are written in. */
function serializeFormat(
  { responseFormat }: GenerateOptions,
  rules: RequestRules,
  strict: boolean | undefined,
): JsonValue | undefined {
  if (responseFormat === undefined) return undefined
  if (responseFormat.type === 'text') return { type: 'text' }
  const { schema, name = 'answer' } = responseFormat
  if (schema === undefined) return { type: 'json_object' }
  if (rules.jsonFormat === 'json_object') {
    const message =
      'responseFormat.schema cannot be honoured: this server only knows JSON without a schema, describe the schema in the instructions and leave it out, or offer it as the parameters of a tool'
    throw new LlmError(message, 'UNSUPPORTED_OPTION')
  }
  const format = { name: toWireToolName(name, rules.maxToolNameLength), schema: wellFormedJson(schema) }
  return { type: 'json_schema', json_schema: strict === undefined ? format : { ...format, strict } }
}

/** Fields that neutral options decide, whether or not this request has them. */
const ownedFields: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'stop',
  'seed',
  'random_seed',
  'tools',
  'tool_choice',
  'response_format',
])

/** A number-like name would move to the front of the JSON text, so names are held to what servers really use. */
const fieldName = /^[A-Za-z_][\w.-]*$/

/** A field given twice would leave it to the server which one counts. */
function addProvided(fields: Fields, body: JsonObject | undefined): void {
  for (const [name, value] of Object.entries(body ?? {})) {
    if (value === undefined) continue
    if (ownedFields.has(name) || Object.hasOwn(fields, name))
      throw refusedField(name, 'the request options own it, set it there')
    if (!fieldName.test(name)) throw refusedField(name, 'no server has such a name, use letters, digits and _')
    fields[name] = wellFormedJson(value)
  }
}

/** The value is not shown: it may hold anything. */
function refusedField(name: string, why: string): LlmError {
  return new LlmError(`The extra body field "${name.slice(0, 100)}" cannot be sent: ${why}`, 'INVALID_REQUEST')
}
