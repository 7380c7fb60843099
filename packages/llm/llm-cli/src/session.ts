import type { CliHost } from './cli-host.ts'
import type { Interrupts } from './interrupts.ts'
import type { Output } from './output.ts'

/** One run of the program, as its commands see it. */
export interface Session {
  readonly host: CliHost
  /** Answers. */
  readonly output: Output
  /** Notices, failures and advice. */
  readonly errors: Output
  readonly interrupts: Interrupts
}
