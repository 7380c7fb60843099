import { getEventListeners } from 'node:events'
import { type Answer, startProviderServer, type Script } from 'dsh-llm-testkit'
import { type CallFetch, type CallFetchOptions, openCallFetch, type ServerEvent } from '../../src/index.ts'

export interface LibraryCall {
  readonly call: CallFetch
  /** The data of the events that `onEvent` saw. */
  readonly seen: readonly string[]
}

/** A call whose reads are resumed, as a library that pulls at once needs it. */
export function openCall(options: CallFetchOptions): LibraryCall {
  const seen: string[] = []
  const onEvent = (event: ServerEvent): void => {
    seen.push(event.data)
    options.onEvent?.(event)
  }
  const call = openCallFetch({ ...options, onEvent })
  call.resume()
  return { call, seen }
}

/** A server that gives one answer to every request. */
export function serve(answer: Answer | Script): ReturnType<typeof startProviderServer> {
  return startProviderServer({
    script: typeof answer === 'function' || 'length' in answer ? answer : () => answer,
  })
}

export const post: RequestInit = { method: 'POST', body: '{}' }

/** The next bytes of a body as text; `undefined` at its end. */
export async function nextText(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string | undefined> {
  const { value } = await reader.read()
  return value === undefined ? undefined : new TextDecoder().decode(value)
}

/** Everything up to the end or the failure of a body. */
export async function readUntilFailure(response: Response): Promise<{ text: string; failure: unknown }> {
  let text = ''
  try {
    for await (const bytes of response.body ?? []) text += new TextDecoder().decode(bytes)
  } catch (failure) {
    return { text, failure }
  }
  return { text, failure: undefined }
}

export function readerOf(response: Response): ReadableStreamDefaultReader<Uint8Array> {
  if (response.body === null) throw new Error('The response has no body')
  return response.body.getReader()
}

export function listenerCount(...signals: readonly AbortSignal[]): number {
  return signals.reduce((sum, signal) => sum + getEventListeners(signal, 'abort').length, 0)
}

/** Lets the event loop turn, so that what was about to happen has happened. */
export async function turns(count = 5): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}
