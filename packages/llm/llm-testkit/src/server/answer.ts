import type { ReceivedRequest } from './received-request.ts'

/** What is written in one go: text is sent as UTF-8, bytes as they are (gzip, half a character, broken UTF-8). */
export type AnswerChunk = string | Uint8Array

/** One chunk, or as many as an iterable gives. A generator is pulled under back-pressure and serves one answer only. */
export type AnswerChunks = AnswerChunk | Iterable<AnswerChunk> | AsyncIterable<AnswerChunk>

/**
 * What happens after the last chunk. `close` completes the response and keeps the connection for reuse; `cut` closes
 * the connection without the end of the body; `reset` sends a TCP reset; `hang` sends nothing more until the client
 * leaves or the server is closed.
 */
export type AnswerEnd = 'close' | 'cut' | 'reset' | 'hang'

/** One HTTP answer as plain data. Everything is optional: `{}` is an empty event stream with status 200. */
export interface Answer {
  /** 200 by default. */
  readonly status?: number | undefined
  /** Added to `content-type: text/event-stream`; a value of `undefined` removes a default. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined
  /** Each one is a network write of its own, unless `batched`. */
  readonly chunks?: AnswerChunks | undefined
  /** Milliseconds to wait before each chunk; an array gives one wait per position, 0 where it has none. */
  readonly delaysMs?: number | readonly number[] | undefined
  /** Milliseconds between the received request and the status line. */
  readonly headersDelayMs?: number | undefined
  /** Milliseconds between the last chunk and the end. */
  readonly trailingDelayMs?: number | undefined
  /** `close` by default. */
  readonly end?: AnswerEnd | undefined
  /** Chunks may share a network write: many times faster, for streams of very many chunks. */
  readonly batched?: boolean | undefined
  /**
   * Chunks go straight to the socket, without status line, headers or framing; `close` then acts like `cut`. With no
   * chunks and `end: 'hang'` this is a server that accepts a request and never answers.
   */
  readonly raw?: boolean | undefined
}

/** Makes the answer from the request; `index` counts from 0 within its script. What it throws becomes a 500. */
export type ScriptFunction = (request: ReceivedRequest, index: number) => Answer | Promise<Answer>

/** One step of a script: an answer, or a function that makes it. */
export type ScriptStep = Answer | ScriptFunction

/** Steps served in order, one per request (when none is left: status 500 saying so), or a function for every request. */
export type Script = readonly ScriptStep[] | ScriptFunction

/** An answer with a JSON body and its content type, as providers send errors and lists. */
export function jsonAnswer(body: unknown, options: Omit<Answer, 'chunks'> = {}): Answer {
  return {
    ...options,
    headers: { 'content-type': 'application/json', ...options.headers },
    chunks: JSON.stringify(body),
  }
}
