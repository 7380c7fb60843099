const codes: Readonly<Record<number, string>> = {
  400: 'INVALID_REQUEST',
  401: 'AUTH',
  402: 'QUOTA',
  403: 'AUTH',
  404: 'NOT_FOUND',
  408: 'TIMEOUT',
  422: 'INVALID_REQUEST',
  429: 'RATE_LIMIT',
  503: 'OVERLOADED',
  504: 'TIMEOUT',
  529: 'OVERLOADED',
}

/** The failure code of an HTTP status where nothing else is known: the table of `docs/failures.md`. */
export function codeOfStatus(status: number): string {
  return codes[status] ?? (status >= 500 && status <= 599 ? 'SERVER' : `HTTP_${status}`)
}
