import type { ResponseHeaders } from './transport.ts'

/** Response headers in which providers put the id of a request, best first. */
export const REQUEST_ID_HEADERS: readonly string[] = Object.freeze([
  'x-request-id',
  'request-id',
  'x-ds-trace-id',
  'x-ds-request-id',
  'x-deepseek-request-id',
  'mistral-correlation-id',
  'x-generation-id',
  'apim-request-id',
  'cf-ray',
])

/** The first non-blank one of the named headers. */
export function findRequestId(headers: ResponseHeaders, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = headers[name.toLowerCase()]?.trim()
    if (value !== undefined && value !== '') return value
  }
  return undefined
}
