import { PassThrough } from 'node:stream'
import type { CliOutput } from '../src/index.ts'
import { Output } from '../src/output.ts'

/** An output and everything that was written to it. */
export interface Recorded {
  readonly output: Output
  readonly text: () => string
}

/** With `tty` the output is a terminal, so it has colours. */
export function record(
  options: { readonly tty?: boolean; readonly env?: Record<string, string> } = {},
): Recorded {
  const { tty = false, env = {} } = options
  const stream: CliOutput = Object.assign(new PassThrough(), { isTTY: tty })
  let text = ''
  stream.on('data', (piece: Buffer) => (text += piece.toString('utf8')))
  return { output: new Output(stream, env), text: () => text }
}
