/** The value of a JSON text, blank space around it allowed; `undefined` if it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}
