import { attributionHeaders, LlmError, type LlmFailure } from 'dsh-llm'
import { openCallFetch, type ServerEvent } from 'dsh-llm-http'
import { BedrockWatch } from './bedrock-watch.ts'
import { toCallHeaders, toExtraHeaders } from './call-headers.ts'
import { toStatusError, toStreamFailure } from './failure.ts'
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
  return setup.protocol.takesFetch ? openFetch(setup) : new BedrockWatch(sdkOptions(setup))
}

function openFetch(setup: BelowSetup): Below {
  const { ask, config, apiKey, facts, signal } = setup
  const { baseUrl } = ask.model
  const { identity, limits, fetch, clock, onRequest, onResponse } = config
  const extra = toExtraHeaders(ask.request.headers, config.headers, apiKey !== undefined)
  const call = openCallFetch({
    signal,
    limits,
    fetch,
    clock,
    onRequest,
    onResponse,
    secrets: apiKey === undefined ? [] : [apiKey],
    // Environment variables can send the SDKs elsewhere.
    origin: baseUrl.includes('{') || baseUrl === '' ? undefined : baseUrl,
    headers: (given) =>
      toCallHeaders(given, {
        extra,
        ofModel: ask.model.headers,
        apiKey,
        keepsCredentials: setup.protocol.findsCredentials === true,
        identity,
      }),
    classify: toStatusError,
    classifyBody: (json) =>
      tellsOfError(json) ? toError(toStreamFailure(json, (text) => call.redact(text))) : undefined,
    onEvent: (event) => {
      facts.seeText(event.data)
      if (endsAnswer(event)) call.finish()
    },
  })
  return {
    options: { ...commonOptions(setup), fetch: call.fetch },
    get failure() {
      return call.failure?.failure
    },
    get requestId() {
      return call.requestId
    },
    redact: (text) => call.redact(text),
    resume: () => call.resume(),
    pause: () => call.pause(),
    sawContent: () => call.sawContent(),
    finish: () => call.finish(),
    close: () => call.close(),
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
