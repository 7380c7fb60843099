import { createInterface } from 'node:readline/promises'
import type { CliInput, CliOutput } from './cli-host.ts'
import type { Interrupts } from './interrupts.ts'
import { UsageError } from './usage-error.ts'

// Far above any model's context, so that only a mistake reaches it.
const maxPromptBytes = 1024 * 1024

/** The whole of standard input as one prompt. Blank or above 1 MiB is a `UsageError`. */
export async function readPrompt(stdin: CliInput): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of stdin) {
    // Bytes are put together before they are decoded: a character may be cut between two pieces.
    const buffer = Buffer.from(piece as Uint8Array | string)
    bytes += buffer.length
    if (bytes > maxPromptBytes)
      throw new UsageError(`The prompt on standard input is above ${maxPromptBytes} bytes, send less`)
    pieces.push(buffer)
  }
  const prompt = Buffer.concat(pieces).toString('utf8').trim()
  if (prompt === '') throw new UsageError('There is no prompt: give one as an argument or on standard input')
  return prompt
}

export interface PromptLinesOptions {
  readonly stdin: CliInput
  /** Where the line editor shows the prompt and what is typed. */
  readonly output: CliOutput
  /** Told of each Ctrl-C: a line editor takes it from the terminal as a key, so it never becomes a signal. */
  readonly interrupts: Interrupts
}

/** Each line the user types that is not blank, until the end of input (Ctrl-D) or a Ctrl-C that quits. Lines typed ahead are kept in order. */
export async function* promptLines({ stdin, output, interrupts }: PromptLinesOptions): AsyncGenerator<string> {
  const editor = createInterface({
    input: stdin,
    output,
    terminal: true,
    prompt: '> ',
    signal: interrupts.quit,
  })
  let isOpen = true
  editor.once('close', () => (isOpen = false))
  // The editor is never closed by Ctrl-C itself: what it means depends on whether an answer runs.
  editor.on('SIGINT', () => interrupts.press())
  try {
    editor.prompt()
    for await (const line of editor) {
      if (line.trim() !== '') yield line
      // Input may have ended during the answer; lines typed before that still come.
      if (isOpen) editor.prompt()
    }
  } finally {
    editor.close()
    // The shell's own prompt must not stand behind ours.
    output.write('\n')
  }
}
