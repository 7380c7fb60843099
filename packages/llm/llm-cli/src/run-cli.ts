import { once } from 'node:events'
import { normaliseFailure } from 'dsh-llm'
import { type Invocation, parseArguments } from './arguments.ts'
import { chat } from './chat.ts'
import type { CliHost } from './cli-host.ts'
import { ExitCode } from './exit-code.ts'
import { describeFailure } from './failure-advice.ts'
import { Interrupts } from './interrupts.ts'
import { models } from './models.ts'
import { Output } from './output.ts'
import type { Session } from './session.ts'
import { UsageError } from './usage-error.ts'

/**
 * The whole program. Gives the exit code and never rejects. After a second Ctrl-C, or when nobody reads its output any
 * more, it settles at once while clean-up may still run; the caller then ends the process.
 */
export async function runCli(host: CliHost): Promise<ExitCode> {
  using interrupts = new Interrupts(host.signals)
  // Two, since one may be a file and the other a terminal: each has its own colours and its own reader.
  const output = new Output(host.stdout, host.env)
  const errors = new Output(host.stderr, host.env)
  const session = { host, output, errors, interrupts }
  // A race, since what still runs may be deaf to its signal; nobody waits for it then.
  return await Promise.race([
    runCommand(session),
    once(interrupts.quit, 'abort').then(() => ExitCode.interrupted),
    output.closed.then(() => ExitCode.failure),
  ])
}

async function runCommand(session: Session): Promise<ExitCode> {
  try {
    return await dispatch(parse(session), session)
  } catch (error) {
    return explain(error, session)
  }
}

/** What a command could not report as its result: bad usage, a list that failed, a bug. */
function explain(error: unknown, { errors }: Session): ExitCode {
  if (error instanceof UsageError) {
    errors.writeLine(error.message)
    return ExitCode.usage
  }
  const failure = normaliseFailure(error)
  // Whoever pressed Ctrl-C knows why.
  if (failure.code === 'ABORTED') return ExitCode.interrupted
  errors.writeLine(describeFailure(failure))
  return ExitCode.failure
}

function parse({ host, output, errors }: Session): Invocation {
  return parseArguments(host.argv, {
    writeOut: (text) => output.write(text),
    writeErr: (text) => errors.write(text),
    width: host.stdout.columns ?? 100,
  })
}

async function dispatch(invocation: Invocation, session: Session): Promise<ExitCode> {
  switch (invocation.command) {
    case 'chat':
      return chat(invocation.prompt, invocation.options, session)
    case 'models':
      return models(invocation.options, session)
    case 'done':
      return invocation.exitCode
  }
}
