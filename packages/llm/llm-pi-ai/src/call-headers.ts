import { attributionHeaders, type AppIdentity } from 'dsh-llm'

type Headers = Readonly<Record<string, string | undefined>>

/** Headers that carry credentials or name the caller: what a request brings under these names is left out. */
const reserved: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  'user-agent',
  'cookie',
])

/** What SDKs tell of themselves and of their environment, which is no business of the provider's. */
const unasked = /^x-stainless-|^openai-(?:organization|project)$|^anthropic-dangerous-direct-browser-access$/

/** The extra headers of a call, those of the config before those of the request. Without a key, the config may bring it. */
export function toExtraHeaders(
  given: Readonly<Record<string, string>> | undefined,
  configured: Readonly<Record<string, string>> | undefined,
  hasKey: boolean,
): Record<string, string> {
  const extra: Record<string, string> = {}
  for (const [name, value] of Object.entries(given ?? {}))
    if (!reserved.has(name.toLowerCase())) extra[name.toLowerCase()] = value
  for (const [name, value] of Object.entries(configured ?? {})) {
    const lower = name.toLowerCase()
    if (lower !== 'user-agent' && !(hasKey && reserved.has(lower))) extra[lower] = value
  }
  return extra
}

/** The headers that leave: the library's own without what nobody asked for, then the extra ones, then who is calling. */
export function toCallHeaders(
  sent: Readonly<Record<string, string>>,
  extra: Readonly<Record<string, string>>,
  { identity, hasKey }: { readonly identity: AppIdentity | undefined; readonly hasKey: boolean },
): Headers {
  const own = Object.entries(sent).filter(([name]) => !unasked.test(name) && (hasKey || !isCredential(name)))
  return { ...Object.fromEntries(own), ...extra, ...attributionHeaders(identity) }
}

/** pi-ai insists on a key, so a server that takes none is sent a made-up one, which stops here. */
function isCredential(name: string): boolean {
  return name === 'authorization' || name === 'x-api-key' || name === 'x-goog-api-key' || name === 'api-key'
}
