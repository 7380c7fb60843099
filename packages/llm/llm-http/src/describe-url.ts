/** An address fit for messages: without user part, query and fragment, where keys like to stand. */
export function describeUrl(url: URL): string {
  return url.origin + url.pathname
}
