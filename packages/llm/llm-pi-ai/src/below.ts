import { attributionHeaders, LlmError, type LlmFailure } from 'dsh-llm'
import { type CallFetch, openCallFetch, type ServerEvent } from 'dsh-llm-http'
import { BedrockWatch } from './bedrock-watch.ts'
import { toCallHeaders, toExtraHeaders } from './call-headers.ts'
import { type Stage, toStatusError, toStreamFailure } from './failure.ts'
import { getField } from './payload.ts'
import type { PiOptions } from './pi-api.ts'
import type { Transport } from './pi-events.ts'
import type { Ask, Protocol } from './protocol.ts'
import type { PiAiProviderConfig } from './route.ts'
import type { WireFacts } from './wire-facts.ts'

/** What lies under one call of pi-ai: how its request leaves, and what came back. */
export interface Below extends Transport {
  /** Options of pi-ai that put it there. */
  readonly options: PiOptions
  /** Why the call failed there; absent while all is well. */
  readonly failure: LlmFailure | undefined
  readonly requestId: string | undefined
  readonly stage: Stage
  redact(text: string): string
}

/** What a call brings. */
export interface BelowSetup {
  readonly ask: Ask
  readonly protocol: Protocol
  readonly config: PiAiProviderConfig
  readonly apiKey: string | undefined
  readonly facts: WireFacts
  readonly signal: AbortSignal
}

/** Our own transport where pi-ai can be given one. */
export function openBelow(setup: BelowSetup): Below {
  return setup.protocol.takesFetch ? new FetchBelow(setup) : new BedrockWatch(sdkOptions(setup), setup.apiKey)
}

/** Our transport, as the one `fetch` of a call. */
class FetchBelow implements Below {
  readonly options: PiOptions
  readonly #call: CallFetch
  #isSent = false

  constructor(setup: BelowSetup) {
    const { ask, config, apiKey, facts, signal } = setup
    const { baseUrl } = ask.model
    const { limits, fetch, clock, onRequest, onResponse } = config
    this.#call = openCallFetch({
      signal,
      limits,
      fetch,
      clock,
      onRequest,
      onResponse,
      secrets: apiKey === undefined ? [] : [apiKey],
      // Environment variables can send the SDKs elsewhere.
      origin: baseUrl.includes('{') || baseUrl === '' ? undefined : baseUrl,
      headers: (given) => this.#toHeaders(given, setup),
      classify: toStatusError,
      classifyBody: (json) =>
        tellsOfError(json) ? toError(toStreamFailure(json, (text) => this.redact(text))) : undefined,
      onEvent: (event) => {
        facts.seeText(event.data)
        if (endsAnswer(event)) this.#call.finish()
      },
    })
    this.options = { ...commonOptions(setup), fetch: this.#call.fetch }
  }

  get failure(): LlmFailure | undefined {
    return this.#call.failure?.failure
  }

  get requestId(): string | undefined {
    return this.#call.requestId
  }

  get stage(): Stage {
    if (!this.#isSent) return 'unsent'
    return this.#call.status === undefined ? 'sent' : 'answered'
  }

  redact(text: string): string {
    return this.#call.redact(text)
  }

  resume(): void {
    this.#call.resume()
  }

  pause(): void {
    this.#call.pause()
  }

  sawContent(): void {
    this.#call.sawContent()
  }

  finish(): void {
    this.#call.finish()
  }

  close(): void {
    this.#call.close()
  }

  #toHeaders(given: Readonly<Record<string, string>>, setup: BelowSetup): Readonly<Record<string, string>> {
    const { ask, protocol, config, apiKey } = setup
    this.#isSent = true
    return toCallHeaders(given, {
      extra: toExtraHeaders(ask.request.headers, config.headers, apiKey !== undefined),
      ofModel: ask.model.headers,
      apiKey,
      keepsCredentials: protocol.findsCredentials === true,
      identity: config.identity,
    })
  }
}

/** pi-ai refuses to call without a key; where there is none, the header that carries it does not leave. */
const noKey = 'none'

function commonOptions({ protocol, apiKey, facts, signal }: BelowSetup): PiOptions {
  const key = apiKey ?? (protocol.findsCredentials === true ? undefined : noKey)
  return {
    signal,
    ...(key !== undefined && { apiKey: key }),
    onProviderStreamEvent: (event: unknown) => facts.seeEvent(event),
  }
}

/** Where the SDK sends by itself, it has to be told all that our transport says elsewhere. */
function sdkOptions(setup: BelowSetup): PiOptions {
  const { ask, config, apiKey } = setup
  const extra = toExtraHeaders(ask.request.headers, config.headers, apiKey !== undefined)
  return { ...commonOptions(setup), headers: { ...extra, ...attributionHeaders(config.identity) } }
}

/** The end markers of the APIs that have one, in their first characters: nothing is read behind it. */
const endMarkers = /^\s*(?:\[DONE\]|\{"type":\s*"(?:message_stop|response\.(?:completed|incomplete|failed))")/

function endsAnswer({ data, event }: ServerEvent): boolean {
  return endNames.has(event ?? '') || endMarkers.test(data)
}

const endNames: ReadonlySet<string> = new Set([
  'message_stop',
  'response.completed',
  'response.incomplete',
  'response.failed',
])

/** Some servers put the object into a list. */
function tellsOfError(json: unknown): boolean {
  const [error] = [json].flat().map((body) => getField(body, 'error'))
  return error !== undefined && error !== null && error !== ''
}

function toError({ message, code, ...facts }: LlmFailure): LlmError {
  return new LlmError(message, code, facts)
}
