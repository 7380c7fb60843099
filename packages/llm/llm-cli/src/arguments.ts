import { APP_IDENTITY } from 'dsh-llm'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { ExitCode } from './exit-code.ts'

/** Which provider is asked, as both commands understand it. */
export interface ConnectionOptions {
  /** The route; its legal characters are those of a variable's name, dots and hyphens. */
  readonly provider?: string | undefined
  /** An http or https URL; without it only DeepSeek can be reached. */
  readonly baseUrl?: string | undefined
}

/** Options of `chat`. */
export interface ChatOptions extends ConnectionOptions {
  /** Absent: the connection's own default, if it has one. */
  readonly model?: string | undefined
  readonly system?: string | undefined
  /** In the words of the provider; the runtime refuses one that the model does not list (L4). */
  readonly effort?: string | undefined
  readonly maxTokens?: number | undefined
  /** False after `--no-tools`. */
  readonly tools: boolean
  readonly json?: boolean | undefined
  /** Path of a new recording of the calls; not together with `replay`. */
  readonly record?: string | undefined
  /** Path of the recording that answers instead of a provider. */
  readonly replay?: string | undefined
  /** Takes the place of standard input and of the conversation when no prompt is given. */
  readonly defaultPrompt?: string | undefined
}

/** What the command line asks for; `done` when the parser has already said everything, as for `--help`. */
export type Invocation =
  | { readonly command: 'chat'; readonly prompt: string | undefined; readonly options: ChatOptions }
  | { readonly command: 'models'; readonly options: ConnectionOptions }
  | { readonly command: 'done'; readonly exitCode: ExitCode }

/** Where help and complaints go. */
export interface ArgumentOutput {
  readonly writeOut: (text: string) => void
  readonly writeErr: (text: string) => void
  /** Columns that help may use. */
  readonly width: number
}

/** Reads the command line. Bad usage is explained on `writeErr` and gives `done` with exit code 2. */
export function parseArguments(argv: readonly string[], output: ArgumentOutput): Invocation {
  let invocation: Invocation = { command: 'done', exitCode: ExitCode.usage }
  const program = createProgram(output)
  // The parser gives results through callbacks; they run inside `parse`, never later.
  addChat(program, (prompt, options) => {
    invocation = { command: 'chat', prompt, options }
  })
  addModels(program, (options) => {
    invocation = { command: 'models', options }
  })
  try {
    program.parse(argv, { from: 'user' })
    return invocation
  } catch (error) {
    // Help and version end by an error too, with exit code 0.
    if (!(error instanceof CommanderError)) throw error
    return { command: 'done', exitCode: error.exitCode === 0 ? ExitCode.success : ExitCode.usage }
  }
}

/** The parser must neither exit the process nor look at its terminal: both belong to the host. */
function createProgram({ writeOut, writeErr, width }: ArgumentOutput): Command {
  return new Command('dsh-llm')
    .description('Talk to language models in a terminal')
    .version(APP_IDENTITY.version)
    .exitOverride()
    .configureOutput({
      writeOut,
      writeErr,
      getOutHelpWidth: () => width,
      getErrHelpWidth: () => width,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showHelpAfterError('(add --help to see what there is)')
}

function addChat(program: Command, onChat: (prompt: string | undefined, options: ChatOptions) => void): void {
  const command = program
    .command('chat')
    .description('Ask a model; without a prompt, talk with it, or read the prompt from standard input')
    .argument('[prompt]', 'what to ask', parseText)
  addConnectionOptions(command)
    .option('--model <model>', 'the model that answers; needed with --base-url', parseText)
    .option('--system <text>', 'instructions that come before the conversation')
    .option('--effort <level>', 'how much the model reasons, by the words of the provider', parseText)
    .option('--max-tokens <count>', 'longest answer, in tokens', parseCount)
    .option('--no-tools', 'do not offer the tools that list a directory and read a text file')
    .option('--json', 'print each chunk of the stream as one line of JSON, and nothing else')
    .option('--default-prompt <text>', 'asked when no prompt is given, instead of waiting for one', parseText)
    .addOption(recordOption().conflicts('replay'))
    .addOption(
      new Option('--replay <file>', 'answer from a recording and ask no provider').argParser(parseText),
    )
    .addHelpText('after', `\n${keyHelp}\n\n${exitHelp}`)
    .action(onChat)
}

function recordOption(): Option {
  const help = 'write the calls to a new recording, without API keys; anew if it is there'
  return new Option('--record <file>', help).argParser(parseText)
}

function addModels(program: Command, onModels: (options: ConnectionOptions) => void): void {
  const command = program.command('models').description('List the models that the provider offers')
  addConnectionOptions(command).addHelpText('after', `\n${keyHelp}`).action(onModels)
}

function addConnectionOptions(command: Command): Command {
  const providerHelp = 'name of the provider (default: deepseek, or custom with --base-url)'
  const urlHelp = 'address of any Chat Completions server, such as http://localhost:11434/v1'
  return command
    .option('--provider <name>', providerHelp, parseProvider)
    .option('--base-url <url>', urlHelp, parseUrl)
}

const keyHelp = `The API key comes from DEEPSEEK_API_KEY. With --base-url it comes from OPENAI_API_KEY, or with
--provider too from the variable of that name (openrouter: OPENROUTER_API_KEY); none is needed if
the server asks for none. Without --base-url and without a key, a small embedded provider answers.`

const exitHelp = `Exit codes: 0 answered, 1 the call failed or the answer was cut, 2 bad usage, 130 Ctrl-C.`

/** A blank value is an unset variable in somebody's script, not a wish. */
function parseText(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('It is blank.')
  return value
}

/** A name from which that of a variable can be made. */
function parseProvider(value: string): string {
  if (/^[a-z0-9][a-z0-9._-]*$/i.test(value)) return value
  throw new InvalidArgumentError('A name has letters, digits, dots, hyphens and underscores.')
}

function parseCount(value: string): number {
  const count = Number(value)
  if (/^\d+$/.test(value) && Number.isSafeInteger(count) && count > 0) return count
  throw new InvalidArgumentError('It must be a whole number above 0.')
}

function parseUrl(value: string): string {
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value
  throw new InvalidArgumentError('It must be an http or https URL, such as http://localhost:11434/v1.')
}
