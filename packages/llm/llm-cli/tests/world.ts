import { PassThrough } from 'node:stream'
import { type CliHost, type ExitCode, runCli } from '../src/index.ts'

export interface WorldOptions extends Partial<
  Omit<CliHost, 'argv' | 'stdin' | 'stdout' | 'stderr' | 'signals'>
> {
  /** Whole standard input; with `tty` it is typed instead, by `type`. */
  readonly input?: string | undefined
  /** Standard input and output are a terminal. */
  readonly tty?: boolean | undefined
}

/** The program with a made-up outside world around it. */
export interface World {
  readonly exitCode: Promise<ExitCode>
  readonly stdout: () => string
  readonly stderr: () => string
  /** Ctrl-C as a signal. */
  readonly interrupt: () => void
  /** Listeners on Ctrl-C at this moment. */
  readonly interruptListeners: () => number
  readonly type: (text: string) => void
  readonly endInput: () => void
  /** Breaks standard output, as a reader does that goes away. */
  readonly breakOutput: () => void
  /** Resolves when standard output contains `text`. */
  readonly shows: (text: string) => Promise<void>
}

/** Time that stands still. */
export const stillClock: CliHost['clock'] = { now: () => 0, schedule: () => () => undefined }

/** Starts the program; nothing is inherited from the process that runs the tests. */
export function start(argv: readonly string[], options: WorldOptions = {}): World {
  const { input, tty = false, env = {}, cwd = '/', embeddedPaceMs = 0, clock = stillClock } = options
  const stdin = Object.assign(new PassThrough(), { isTTY: tty })
  if (!tty) stdin.end(input ?? '')
  const stdout = new Screen(tty)
  const stderr = new Screen(tty)
  const listeners = new Set<() => void>()
  const signals = {
    onInterrupt(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  return {
    exitCode: runCli({ argv, env, stdin, stdout, stderr, cwd, clock, signals, embeddedPaceMs }),
    stdout: () => stdout.text,
    stderr: () => stderr.text,
    interrupt: () => {
      for (const listener of listeners) listener()
    },
    interruptListeners: () => listeners.size,
    type: (text) => void stdin.write(text),
    endInput: () => void stdin.end(),
    breakOutput: () => void stdout.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    shows: (text) => stdout.shows(text),
  }
}

/** A stream that remembers what was written. */
class Screen extends PassThrough {
  readonly isTTY: boolean
  readonly columns = 80
  text = ''
  readonly #waiting = new Set<() => void>()

  constructor(isTTY: boolean) {
    super()
    this.isTTY = isTTY
    this.setEncoding('utf8')
    this.on('data', (piece: string) => {
      this.text += piece
      for (const check of this.#waiting) check()
    })
  }

  shows(text: string): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!this.text.includes(text)) return
        this.#waiting.delete(check)
        resolve()
      }
      this.#waiting.add(check)
      check()
    })
  }
}
