import { attributionHeaders, type AppIdentity } from 'dsh-llm'

type Headers = Readonly<Record<string, string>>

/** Headers in which the APIs take a key. */
const credentials: ReadonlySet<string> = new Set(['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'])

/** What a request may not bring: credentials, the name of the caller, and what describes the body. */
const reserved: ReadonlySet<string> = new Set([
  ...credentials,
  'proxy-authorization',
  'cookie',
  'user-agent',
  'content-type',
  'content-length',
  'host',
])

/**
 * What the SDKs and pi-ai may send by themselves. Everything else they read from the environment or tell of themselves,
 * which is no business of the provider's.
 */
const known: ReadonlySet<string> = new Set([
  'accept',
  'content-type',
  'anthropic-version',
  'anthropic-beta',
  // Names of a session, sent only where a cache is asked for.
  'session-id',
  'x-session-id',
  'x-session-affinity',
  'x-client-request-id',
  'x-affinity',
  'x-grok-conv-id',
  // GitHub Copilot bills by them.
  'x-initiator',
  'openai-intent',
  'copilot-vision-request',
])

/** The extra headers of a call, those of the config before those of the request. Without a key, the config may bring it. */
export function toExtraHeaders(
  given: Headers | undefined,
  configured: Headers | undefined,
  hasKey: boolean,
): Record<string, string> {
  const extra: Record<string, string> = {}
  for (const [name, value] of Object.entries(given ?? {}))
    if (!reserved.has(name.toLowerCase())) extra[name.toLowerCase()] = value
  for (const [name, value] of Object.entries(configured ?? {})) {
    const lower = name.toLowerCase()
    if (lower !== 'user-agent' && !(hasKey && reserved.has(lower))) extra[lower] = value
  }
  const beta = joined(betaHeader, valueOf(given, betaHeader), valueOf(configured, betaHeader))
  return { ...extra, ...beta }
}

/** Whose headers a call sends. */
export interface HeaderSources {
  /** Of the request and the config. */
  readonly extra: Headers
  /** Of the model, by the catalogue. */
  readonly ofModel: Headers | undefined
  readonly apiKey: string | undefined
  /** Whether the library may send credentials that it found itself. */
  readonly keepsCredentials: boolean
  readonly identity: AppIdentity | undefined
}

/** The headers that leave: what the library may send, then the extra ones, the key, and who is calling. */
export function toCallHeaders(sent: Headers, sources: HeaderSources): Headers {
  const { extra, ofModel, apiKey, keepsCredentials, identity } = sources
  const found = apiKey === undefined && keepsCredentials ? credentials : []
  const ofCatalogue = Object.keys(ofModel ?? {}).map((name) => name.toLowerCase())
  const allowed = new Set([...known, ...found, ...ofCatalogue])
  const own = Object.fromEntries(Object.entries(sent).filter(([name]) => allowed.has(name)))
  return {
    ...own,
    ...extra,
    ...joined(betaHeader, own[betaHeader], extra[betaHeader]),
    ...(apiKey !== undefined && toCredential(sent, apiKey)),
    ...attributionHeaders(identity),
  }
}

/** A list of features, of which neither side may take the other's away. */
const betaHeader = 'anthropic-beta'

function valueOf(headers: Headers | undefined, name: string): string | undefined {
  return Object.entries(headers ?? {}).find(([own]) => own.toLowerCase() === name)?.[1]
}

function joined(name: string, ...lists: readonly (string | undefined)[]): Headers {
  const all = lists.filter((list) => list !== undefined)
  return all.length === 0 ? {} : { [name]: all.join(',') }
}

/** The key in the header where the library put it; the environment may have put another one beside it, or over it. */
function toCredential(sent: Headers, apiKey: string): Headers {
  const names = Object.keys(sent).filter((name) => credentials.has(name))
  const name = names.find((candidate) => sent[candidate]?.includes(apiKey)) ?? names[0]
  if (name === undefined) return {}
  return { [name]: name === 'authorization' ? `Bearer ${apiKey}` : apiKey }
}
