import { HarnessError } from 'dsh-context'
import { describeFault, fields, matching } from './value-rules.ts'

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

const words = matching(/^[!-~]+(?: [!-~]+)*$/, 'visible ASCII characters')
/** Visible ASCII without what ends or escapes a header comment. */
const commentText = matching(/^[!-'*-[\]-~]+$/, 'visible ASCII characters')

const sendable = fields({ product: words, version: words }, { url: commentText })

/**
 * The `user-agent` of an identity, `product/version (+url)`. A part that no header may carry, such as a line break,
 * throws `INVALID_CONFIG`.
 */
export function userAgent(identity: AppIdentity = APP_IDENTITY): string {
  const fault = sendable(identity, 'identity')
  if (fault !== undefined)
    throw new HarnessError(`Could not make a user-agent: ${describeFault(fault)}`, 'INVALID_CONFIG')
  const { product, version, url } = identity
  return `${product}/${version}${url === undefined ? '' : ` (+${url})`}`
}

/** Headers that name the caller; an identity of your own replaces ours wholly. Browsers refuse to send them. */
export function attributionHeaders(identity: AppIdentity = APP_IDENTITY): Record<string, string> {
  return { 'user-agent': userAgent(identity) }
}
