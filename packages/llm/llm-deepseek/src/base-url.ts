import { joinUrl } from 'dsh-llm-http'

/** DeepSeek's own endpoint. */
export const DEFAULT_BASE_URL = 'https://api.deepseek.com'

/** A path that names the endpoint or the version; the beta endpoint has neither in front of its own name. */
const endpointPath = /(?:\/v1)?(?:\/chat\/completions)?\/*(?=$|[?#])/

/** The beta endpoint beside a base address, in whatever form that was given: host alone, with `/v1`, or the full path. */
export function toBetaBaseUrl(baseURL: string): string {
  return joinUrl(baseURL.trim().replace(endpointPath, ''), 'beta')
}
