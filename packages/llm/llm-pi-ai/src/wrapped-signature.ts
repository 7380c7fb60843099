const mark = 'dsh-llm-pi-ai:'

/** A signature in a form that pi-ai takes for one: it drops what is no plain base64, which providers need not send. */
export function wrap(signature: string): string {
  return btoa(mark + encodeURIComponent(signature))
}

/** The signature that was wrapped; any other stays. */
export function unwrap(signature: string): string {
  const text = decode(signature)
  return text?.startsWith(mark) === true ? decodeURIComponent(text.slice(mark.length)) : signature
}

function decode(base64: string): string | undefined {
  try {
    return atob(base64)
  } catch {
    return undefined
  }
}
