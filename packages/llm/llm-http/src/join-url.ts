/**
 * Appends an API path to a base address: slashes in between are put right, a path the base already ends with is not
 * repeated, and the base's query string stays at the end.
 */
export function joinUrl(baseURL: string, path: string): string {
  const [, address = '', query = ''] = /^([^?#]*)([^#]*)/.exec(baseURL.trim()) ?? []
  const base = address.replace(/\/+$/, '')
  const tail = `/${path.replace(/^\/+/, '')}`
  return `${base.endsWith(tail) ? base : base + tail}${query}`
}
