import { HarnessError } from 'dsh-context'

/** Who calls: the product that stands in the `user-agent` of every provider request. */
export interface AppIdentity {
  readonly product: string
  readonly version: string
  /** Where an operator learns more; it goes out as a comment. */
  readonly url?: string | undefined
}

/** Put in by the bundler; sources that run unbuilt have no version of their own. */
declare const __DSH_VERSION__: string | undefined

/** What is sent when nobody says otherwise. */
export const APP_IDENTITY: AppIdentity = Object.freeze({
  product: 'dsh-llm',
  version: typeof __DSH_VERSION__ === 'string' ? __DSH_VERSION__ : '0.0.0-source',
})

const words = /^[!-~]+(?: [!-~]+)*$/
/** Visible ASCII without what ends or escapes a header comment. */
const commentText = /^[!-'*-[\]-~]+$/

/**
 * The `user-agent` of an identity, `product/version (+url)`. A part that no header may carry, such as a line break,
 * throws `INVALID_CONFIG`.
 */
export function userAgent(identity: AppIdentity = APP_IDENTITY): string {
  const product = checkPart('product', identity.product, words)
  const version = checkPart('version', identity.version, words)
  const url = identity.url === undefined ? '' : ` (+${checkPart('url', identity.url, commentText)})`
  return `${product}/${version}${url}`
}

/** Headers that name the caller; an identity of your own replaces ours wholly. Browsers refuse to send them. */
export function attributionHeaders(identity: AppIdentity = APP_IDENTITY): Record<string, string> {
  return { 'user-agent': userAgent(identity) }
}

function checkPart(name: keyof AppIdentity, value: unknown, legal: RegExp): string {
  if (typeof value === 'string' && legal.test(value)) return value
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 100)) : typeof value
  const message = `The identity cannot be sent as user-agent: its ${name} is ${shown}, use visible ASCII characters`
  throw new HarnessError(message, 'INVALID_CONFIG')
}
