import { once } from 'node:events'
import { type Agent, type IncomingMessage, request } from 'node:http'

interface SendOptions {
  readonly body?: string
  readonly agent?: Agent
}

/** Sends one request with `node:http`, which shows single reads, resets and cuts that `fetch` hides. */
export async function send(url: string, { body = '', agent }: SendOptions = {}): Promise<IncomingMessage> {
  const outgoing = request(url, { method: 'POST', agent: agent ?? false })
  outgoing.end(body)
  const [response] = await once(outgoing, 'response')
  // The socket's error is reported on the response as well, which is where it is looked for.
  outgoing.on('error', () => {})
  return response
}

/** The reads of a response, each as text. */
export function reads(response: IncomingMessage): Promise<string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<string[]>()
  const parts: string[] = []
  response.on('data', (part) => parts.push(String(part)))
  response.once('end', () => resolve(parts))
  response.once('error', reject)
  return promise
}

/** The code with which a request, or the reading of its response, fails. */
export async function failureOf(url: string): Promise<string> {
  try {
    const parts = await reads(await send(url))
    return `no failure, but the text ${parts.join('')}`
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}
