import { type GenerateOptions, type JsonObject, LlmError } from 'dsh-llm'

/** What the entry of `providerOptions` that belongs to a dialect asks for. */
export interface ProviderFields {
  /** Body fields added as they are; none may be one that neutral options own. */
  readonly body?: JsonObject | undefined
  /** Marks every tool of the request as strict. */
  readonly strictTools?: boolean | undefined
  /** Marks the JSON schema of the answer as strict. */
  readonly strictSchema?: boolean | undefined
  /** The last message is an assistant's, and the answer goes on where it ends. */
  readonly continuesAnswer?: boolean | undefined
}

/** `providerOptions.openaiCompatible`: what only Chat Completions servers know. */
export interface OpenAiCompatibleOptions {
  /** Body fields added as they are. A field that neutral options own is refused with `INVALID_REQUEST`. */
  readonly extraBody?: JsonObject | undefined
  /** Asks the server to hold the model to each tool's schema. */
  readonly strictTools?: boolean | undefined
  /** Asks the server to hold the model to the schema of `responseFormat`. */
  readonly strictSchema?: boolean | undefined
}

declare module 'dsh-llm' {
  interface ProviderOptionsMap {
    openaiCompatible: OpenAiCompatibleOptions
  }
}

const knownKeys: ReadonlySet<string> = new Set(['extraBody', 'strictTools', 'strictSchema'])

/** The `openaiCompatible` entry as body fields and flags; entries of other families are ignored. */
export function readOpenAiCompatibleOptions(request: GenerateOptions): ProviderFields {
  const options = request.providerOptions?.openaiCompatible
  if (options === undefined) return {}
  assertKnownKeys('openaiCompatible', options, knownKeys)
  const { extraBody, strictTools, strictSchema } = options
  return { body: extraBody, strictTools, strictSchema }
}

/** Refuses an entry of `providerOptions` that is no object or has a key its family does not know, naming the key. */
export function assertKnownKeys(family: string, options: unknown, known: ReadonlySet<string>): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new LlmError(`providerOptions.${family} must be an object of options`, 'INVALID_REQUEST')
  }
  const unknown = Object.keys(options).find((key) => !known.has(key))
  if (unknown === undefined) return
  const names = [...known].join(', ')
  const message = `providerOptions.${family} has no option "${unknown.slice(0, 100)}", it knows ${names}`
  throw new LlmError(message, 'INVALID_REQUEST')
}
