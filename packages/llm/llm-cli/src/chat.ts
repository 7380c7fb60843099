import type { GenerateOptions } from 'dsh-llm'
import type { ChatOptions } from './arguments.ts'
import { type Connection, openConnection } from './connection.ts'
import { Conversation, maxRounds } from './conversation.ts'
import { ExitCode } from './exit-code.ts'
import { describeFailure } from './failure-advice.ts'
import { promptLines, readPrompt } from './prompt-source.ts'
import { JsonRenderer } from './render-json.ts'
import { TerminalRenderer } from './render-terminal.ts'
import type { Session } from './session.ts'
import { builtInTools } from './tools/run-tool.ts'
import { Workspace } from './tools/workspace.ts'
import type { TurnReport } from './turn-report.ts'
import { UsageError } from './usage-error.ts'

/** The command `chat`: one question with its answer, or a conversation at the terminal. */
export async function chat(
  prompt: string | undefined,
  options: ChatOptions,
  session: Session,
): Promise<ExitCode> {
  const { host, errors } = session
  await using connection = await openConnection(options, host, (line) => errors.writeLine(line))
  const conversation = await startConversation(connection, options, session)
  const question = prompt ?? options.defaultPrompt
  // Awaited here, since the connection is closed when this function returns.
  if (question !== undefined) return await ask(conversation, question, session)
  if (host.stdin.isTTY === true) return await talk(conversation, options, session)
  return await ask(conversation, await readPrompt(host.stdin), session)
}

/** Opened before anything is asked, so that a folder that is gone fails before tokens are paid for. */
async function startConversation(
  connection: Connection,
  options: ChatOptions,
  { host, output }: Session,
): Promise<Conversation> {
  const renderer = options.json === true ? new JsonRenderer(output) : new TerminalRenderer(output)
  const workspace = await Workspace.open(host.cwd)
  return new Conversation({
    llm: connection.llm,
    request: toRequest(connection, options),
    workspace,
    renderer,
    output,
  })
}

/** What stays the same in every call; only a known provider has a model that may be assumed. */
function toRequest(
  { provider, defaultModel }: Connection,
  { model = defaultModel, system, effort, maxTokens, tools }: ChatOptions,
): Omit<GenerateOptions, 'messages'> {
  if (model === undefined) {
    const advice = '`dsh-llm models` with the same --base-url lists what the server has'
    throw new UsageError(`With --base-url a model must be named, add --model; ${advice}`)
  }
  return {
    provider,
    model,
    system,
    reasoningEffort: effort,
    maxTokens,
    tools: tools ? builtInTools.map(({ schema }) => schema) : undefined,
  }
}

/** An aborted answer needs no explanation: whoever pressed Ctrl-C knows why. */
async function ask(conversation: Conversation, question: string, session: Session): Promise<ExitCode> {
  const report = await session.interrupts.guard((signal) => conversation.ask(question, signal))
  if (report.finish.kind === 'aborted') return ExitCode.interrupted
  const complaint = toComplaint(report)
  if (complaint === undefined) return ExitCode.success
  session.errors.writeLine(complaint)
  return ExitCode.failure
}

/** A failed answer does not end the conversation; its exit code says only how it was left. */
async function talk(conversation: Conversation, { json }: ChatOptions, session: Session): Promise<ExitCode> {
  const { host, interrupts } = session
  // Standard output holds answers; the editor's own signs go there only if a person looks at it.
  const output = json !== true && host.stdout.isTTY === true ? host.stdout : host.stderr
  const lines = promptLines({ stdin: host.stdin, output, interrupts })
  for await (const line of lines) await ask(conversation, line, session)
  return ExitCode.success
}

/** Why an answer is not a whole one, and what to do; nothing for one that is. */
function toComplaint({ finish }: TurnReport): string | undefined {
  if (finish.failure !== undefined) return describeFailure(finish.failure)
  if (finish.kind === 'max-tokens')
    return 'max-tokens: the answer is cut at the token limit\nRaise --max-tokens, or ask for less'
  if (finish.kind === 'tool-calls') {
    return `tool-calls: the model asked for tools in ${maxRounds} answers in a row, which is the limit\nAsk for less at once, or use --no-tools`
  }
  return undefined
}
