import { LONGEST_TIMER_MS } from 'dsh-llm-http'
import { getField, isRecord, type Payload, setField } from './payload.ts'
import type { PiOptions } from './pi-api.ts'
import type { Ask, Protocol } from './protocol.ts'

/** The options of pi-ai that say what the request says; what they cannot, goes into the payload. */
export function toPiOptions(ask: Ask, protocol: Protocol): PiOptions {
  const { request, model, own, toolChoice } = ask
  const { temperature, maxTokens, reasoningEffort, sessionId } = request
  const { cacheRetention = 'none' } = own
  const options = {
    temperature,
    maxTokens: maxTokens ?? (model.maxTokens > 0 ? undefined : protocol.neededMaxTokens),
    ...protocol.toEffortOptions(reasoningEffort, ask),
    ...(toolChoice !== undefined && { toolChoice: protocol.toToolChoice(toolChoice) }),
    cacheRetention,
    // To some providers the name of a session is a key of their cache, so it goes along only where one is wanted.
    ...(cacheRetention !== 'none' && { sessionId }),
    maxRetries: 0,
    // The limits are ours; the SDKs' own would end a long answer under another name.
    timeoutMs: LONGEST_TIMER_MS,
    onPayload: (payload: unknown) => {
      if (isRecord(payload)) edit(payload, ask, protocol)
      return payload
    },
  }
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

/** In place: copies would lose what SDKs keep in it, such as the signal in Google's. */
function edit(payload: Payload, ask: Ask, { fields, setFormat, editPayload, extraBodyField }: Protocol): void {
  const { request, own } = ask
  const { stop = [], responseFormat } = request
  setOption(payload, fields.topP, request.topP)
  setOption(payload, fields.seed, request.seed)
  setOption(payload, fields.stop, stop.length === 0 ? undefined : [...stop])
  if (responseFormat?.type === 'json') setFormat?.(payload, responseFormat)
  editPayload?.(payload, ask)
  if (own.extraBody === undefined) return
  if (extraBodyField === undefined) addFields(payload, own.extraBody)
  else setField(payload, extraBodyField, { ...toRecord(getField(payload, extraBodyField)), ...own.extraBody })
}

/** Objects are joined, so that a field beside one of ours does not take it away. */
function addFields(payload: Payload, extra: Payload): void {
  for (const [name, value] of Object.entries(extra))
    payload[name] = isRecord(value) ? { ...toRecord(payload[name]), ...value } : value
}

function toRecord(value: unknown): Payload {
  return isRecord(value) ? value : {}
}

function setOption(payload: Payload, path: string | undefined, value: unknown): void {
  if (path !== undefined && value !== undefined) setField(payload, path, value)
}
