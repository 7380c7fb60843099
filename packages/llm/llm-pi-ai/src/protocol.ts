import type { AdapterRequest, OptionName, ResponseFormat, ToolChoice } from 'dsh-llm'
import type { CallIdRules, FinishReasonTable } from 'dsh-llm-openai-compatible'
import type { Payload } from './payload.ts'
import type { ApiName } from './api-names.ts'
import type { PiModel } from './pi-api.ts'
import type { PiAiOptions } from './provider-options.ts'
import type { WireWatch } from './wire-facts.ts'

/** One request, as far as a protocol has to know it. */
export interface Ask {
  readonly request: AdapterRequest
  readonly model: PiModel
  readonly own: PiAiOptions
  /** That of the request, with the tool under the name it has on the wire. */
  readonly toolChoice: ToolChoice | undefined
  /** The argument text of each call of the history, by the id under which it is sent. */
  readonly argumentTexts: ReadonlyMap<string, string>
}

/** What a provider may attach state to, under our names. */
export type StatefulType = 'text' | 'reasoning' | 'tool-call'

/** The format that asks for JSON. */
export type JsonFormat = Extract<ResponseFormat, { readonly type: 'json' }>

/** Where the usage of an API has each count, as paths. Parts of input and output are added; of the rest the first counts. */
export interface UsageFields {
  readonly input: readonly string[]
  readonly output: readonly string[]
  readonly cacheRead: readonly string[]
  readonly cacheWrite: readonly string[]
  readonly reasoning: readonly string[]
  /** Whether the input counts what caches served and took. */
  readonly inputHasCache: boolean
}

/**
 * What this package knows of one API beyond pi-ai's own interface: where the payload has the options that pi-ai does
 * not know, and what pi-ai adds to it that nobody asked for.
 */
export interface Protocol {
  /** Paths in the payload; an option without one is `UNSUPPORTED_OPTION`. */
  readonly fields: { readonly topP?: string; readonly seed?: string; readonly stop?: string }
  /** The most stop texts of one request. */
  readonly maxStops?: number
  readonly callIds: CallIdRules
  readonly usage: UsageFields
  /** Finish reasons of the API that mean something else than their own upper-cased name, in lower case. */
  readonly finishReasons: FinishReasonTable
  /** Why pi-ai could not carry the request as it is, such as an option that it would drop or change. */
  readonly findConflict?: (ask: Ask) => string | undefined
  /** Options of pi-ai's own that ask for an effort. An unknown one is refused, but for OpenAI's APIs, which do so. */
  readonly toEffortOptions: (effort: string | undefined, ask: Ask) => Readonly<Record<string, unknown>>
  /** The value of pi-ai's `toolChoice`. */
  readonly toToolChoice: (choice: ToolChoice) => unknown
  /** Asks for JSON; absent where the API cannot. */
  readonly setFormat?: (payload: Payload, format: JsonFormat) => void
  /** What pi-ai does not know or adds unasked, after the options above. */
  readonly editPayload?: (payload: Payload, ask: Ask) => void
  /** Notes what pi-ai does not pass on of an event. */
  readonly watch?: WireWatch
  /** Whether pi-ai parts pieces of thinking by a break that no text ends with. */
  readonly partsThinking?: boolean
  /** Options of pi-ai's own without which it would ask the environment; those of the config win. */
  readonly toDefaults?: (model: PiModel) => Readonly<Record<string, unknown>>
  /** Where `extraBody` goes, if not into the payload itself; a path. */
  readonly extraBodyField?: string
  /** Stands before the output of a failed tool, where the API has no flag for it. */
  readonly toolErrorMark?: string
  /** Whether pi-ai's call ids are `call|item`, of which only the first half is the call's own. */
  readonly splitsCallIds?: boolean
  /** Whether a signature can travel back; a message whose thinking has one that cannot keeps no state at all. */
  readonly isReplayable?: (signature: string, type: StatefulType) => boolean
  /** Whether a signature belongs to every block of ours that came from one of pi-ai's, not only to the first. */
  readonly isShared?: (signature: string) => boolean
  /** Whether pi-ai has to be kept from dropping signatures that do not look like ones to it. */
  readonly wrapsSignatures?: boolean
  /** Whether the SDK finds credentials by itself where it is given no key. */
  readonly findsCredentials?: boolean
  /** What is sent where nobody limits an answer, since the API demands a limit. */
  readonly neededMaxTokens?: number
  /** Whether the SDK has a serializer of its own, to which a number kept as its digits is an object. */
  readonly losesDigits?: boolean
  /** False where requests leave by an SDK that cannot be given a `fetch`. */
  readonly takesFetch: boolean
}

const common: readonly OptionName[] = [
  'reasoningEffort',
  'system',
  'tools',
  'temperature',
  'maxTokens',
  'toolChoice',
  'headers',
  'providerOptions',
]

/** The neutral options a protocol can carry. */
export function optionsOf({ fields, setFormat }: Protocol): ReadonlySet<OptionName> {
  const own = (['topP', 'seed', 'stop'] as const).filter((name) => fields[name] !== undefined)
  return new Set([...common, ...own, ...(setFormat === undefined ? [] : ['responseFormat' as const])])
}

/** Protocols by the name of their API. */
export type Protocols = Readonly<Record<ApiName, Protocol>>
