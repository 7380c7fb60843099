import { once } from 'node:events'
import picocolors from 'picocolors'
import type { CliHost, CliOutput } from './cli-host.ts'

/** How text is dressed; every function gives its text back unchanged where colours are not wanted. */
export type Colours = ReturnType<typeof picocolors.createColors>

/** A stream to write to, with the colours that fit it and the pace of its reader. */
export class Output {
  readonly colours: Colours
  /** Settles when nobody reads any more, as after `| head`. */
  readonly closed: Promise<void>
  readonly #stream: CliOutput
  #isFull = false
  #isClosed = false

  constructor(stream: CliOutput, env: CliHost['env']) {
    this.#stream = stream
    this.colours = picocolors.createColors(wantsColours(stream, env))
    const { promise, resolve } = Promise.withResolvers<void>()
    this.closed = promise
    const close = (): void => {
      this.#isClosed = true
      resolve()
    }
    stream.once('close', close)
    // Stays for the life of the stream: a write error without a listener would end the process.
    stream.on('error', close)
  }

  /** Does not wait; ask `drained` before the next piece. */
  write(text: string): void {
    if (!this.#isClosed) this.#isFull = !this.#stream.write(text)
  }

  writeLine(line: string): void {
    this.write(`${line}\n`)
  }

  /** A promise only while the reader is behind, so that a slow reader slows the answer down instead of filling memory. */
  drained(): Promise<void> | undefined {
    if (!this.#isFull || this.#isClosed) return undefined
    return Promise.race([once(this.#stream, 'drain').then(() => undefined), this.closed])
  }
}

/** `NO_COLOR` with any text in it switches colours off; so does everything that is no terminal. */
function wantsColours(stream: CliOutput, env: CliHost['env']): boolean {
  const isRefused = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb'
  return stream.isTTY === true && !isRefused
}
