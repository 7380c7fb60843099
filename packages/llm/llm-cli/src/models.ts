import type { LlmModelInfo } from 'dsh-llm'
import type { ConnectionOptions } from './arguments.ts'
import { openConnection } from './connection.ts'
import { ExitCode } from './exit-code.ts'
import { toPlainLine } from './plain-text.ts'
import type { Session } from './session.ts'

/** The command `models`: what the adapter advertises, one model a line, its id first. Rejects when the list fails. */
export async function models(options: ConnectionOptions, session: Session): Promise<ExitCode> {
  const { host, output, errors, interrupts } = session
  await using connection = await openConnection(options, host, (line) => errors.writeLine(line))
  const { llm, provider } = connection
  const listed = await interrupts.guard((signal) => llm.listModels(provider, signal))
  // Not on standard output, which holds ids for other programs; and no failure, since some servers keep no list.
  if (listed.length === 0)
    errors.writeLine(`Provider "${provider}" advertises no models; any may still be named with --model`)
  const width = Math.max(0, ...listed.map(({ id }) => id.length))
  for (const model of listed) output.writeLine(toLine(model, width))
  return ExitCode.success
}

/** Ids stand in a column of their own, to be cut out by other programs. */
function toLine({ id, name, description }: LlmModelInfo, width: number): string {
  const about = [name === id ? '' : name, description ?? ''].filter((text) => text !== '').join(': ')
  return `${toPlainLine(id, 200).padEnd(about === '' ? 0 : width)}  ${toPlainLine(about, 200)}`.trimEnd()
}
