import type { Readable, Writable } from 'node:stream'
import type { Clock } from 'dsh-llm'

/** Something text is written to; the terminal facts are those of Node's own streams. */
export type CliOutput = Writable & {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

/** Something text is read from. */
export type CliInput = Readable & { readonly isTTY?: boolean | undefined }

/** Where Ctrl-C comes from when no line editor holds the terminal. */
export interface InterruptSource {
  /** Calls `listener` at every Ctrl-C, until the returned function is called. */
  onInterrupt(listener: () => void): () => void
}

/** Everything of the outside world that the program touches, so that a test can be its world. */
export interface CliHost {
  /** The arguments behind the program's name. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: CliInput
  readonly stdout: CliOutput
  readonly stderr: CliOutput
  /** The tools see this folder and what is below it. */
  readonly cwd: string
  readonly clock: Clock
  readonly signals: InterruptSource
  /** Milliseconds between the embedded provider's tokens; its own pace by default. */
  readonly embeddedPaceMs?: number | undefined
}
