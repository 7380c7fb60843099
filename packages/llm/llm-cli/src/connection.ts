import { resolve } from 'node:path'
import { createLlm, type LlmRuntime, type PluginUse, use } from 'dsh-llm'
import deepseek from 'dsh-llm-deepseek'
import openaiCompatible, { type DialectName, dialects } from 'dsh-llm-openai-compatible'
import replay, { type LlmReplay } from 'dsh-llm-replay'
import retry from 'dsh-llm-retry'
import type { ChatOptions, ConnectionOptions } from './arguments.ts'
import type { CliHost } from './cli-host.ts'
import { startEmbeddedProvider } from './embedded-provider.ts'
import { UsageError } from './usage-error.ts'

/** A runtime with the one provider the user chose, whose failures are retried. Belongs to whoever opened it. */
export interface Connection extends AsyncDisposable {
  readonly llm: LlmRuntime
  readonly provider: string
  /** Asked when the user names none; absent where nothing can be assumed. */
  readonly defaultModel?: string | undefined
}

interface Choice extends Pick<Connection, 'provider' | 'defaultModel'> {
  /** The key is handed over, not its variable's name, since the environment is the host's. */
  readonly plugins: readonly PluginUse[]
  /** After the runtime is gone; only the embedded provider has something to close. */
  close?(): Promise<void>
}

/** Which provider is asked, and whether a recording is made or answers in its place. */
export type OpenOptions = ConnectionOptions & Pick<ChatOptions, 'record' | 'replay'>

// A floating name, so it does not age with a snapshot.
const deepseekModel = 'deepseek-flash'

/**
 * Chooses a provider from options and environment and loads it. `notify` gets the one line that says so when the embedded
 * provider answers. A choice that makes no sense is a `UsageError`.
 */
export async function openConnection(
  options: OpenOptions,
  host: CliHost,
  notify: (line: string) => void,
): Promise<Connection> {
  const choice = await choose(options, host, notify)
  const { provider, defaultModel, plugins } = choice
  try {
    const llm = await createLlm({ plugins: [...plugins, use(retry)], runtime: { clock: host.clock } })
    // A clean-up of the runtime that fails must not leave the embedded server open.
    const dispose = async (): Promise<void> => {
      try {
        tellLeftovers(llm.ctx.get('llmReplay'), notify)
        await llm.dispose()
      } finally {
        await choice.close?.()
      }
    }
    return { llm: llm.llm, provider, defaultModel, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await choice.close?.()
    throw error
  }
}

async function choose(options: OpenOptions, host: CliHost, notify: (line: string) => void): Promise<Choice> {
  const { record, replay: recording } = options
  if (recording !== undefined) return chooseRecording(options, resolve(host.cwd, recording))
  const choice = await chooseProvider(options, host, notify)
  if (record === undefined) return choice
  const redact = { secrets: secretsOf(host.env) }
  const recorder = use(replay, { mode: 'record', file: resolve(host.cwd, record), redact })
  return { ...choice, plugins: [...choice.plugins, recorder] }
}

/** What nobody would notice otherwise: answers nobody asked for, and calls that could not be written. */
function tellLeftovers(recording: LlmReplay | undefined, notify: (line: string) => void): void {
  if (recording === undefined) return
  const { unused, dropped, file, replayed, misses } = recording.report()
  const [reason] = dropped
  const isAsked = replayed + misses.length > 0
  if (isAsked && unused.length > 0) notify(`${count(unused.length)} never asked for, of the recording ${file}`)
  if (reason !== undefined) notify(`${count(dropped.length)} not written to the recording ${file}: ${reason}`)
}

function count(calls: number): string {
  return calls === 1 ? '1 call was' : `${calls} calls were`
}

/** The same names as with a provider, since the requests must be the same. */
function chooseRecording({ provider, baseUrl }: OpenOptions, file: string): Choice {
  return {
    plugins: [use(replay, { mode: 'replay', file })],
    provider: provider ?? (baseUrl === undefined ? 'deepseek' : 'custom'),
    defaultModel: baseUrl === undefined ? deepseekModel : undefined,
  }
}

/** Every key the environment holds; a shorter text is none. */
function secretsOf(env: CliHost['env']): readonly string[] {
  const names = Object.keys(env).filter((name) => name.endsWith('_API_KEY'))
  return names.flatMap((name) => readKey(env, name) ?? []).filter((key) => key.length >= 6)
}

async function chooseProvider(
  { provider, baseUrl }: ConnectionOptions,
  { env, embeddedPaceMs }: CliHost,
  notify: (line: string) => void,
): Promise<Choice> {
  if (baseUrl !== undefined) return chooseServer(baseUrl, provider, env)
  // Not answered by the embedded provider: who names a provider means that one.
  if (provider !== undefined && provider !== 'deepseek') {
    throw new UsageError(
      `Provider "${provider}" cannot be reached: only deepseek has a known address, add --base-url`,
    )
  }
  const apiKey = readKey(env, 'DEEPSEEK_API_KEY')
  if (apiKey !== undefined) {
    return { plugins: [use(deepseek, { apiKey })], provider: 'deepseek', defaultModel: deepseekModel }
  }
  notify('DEEPSEEK_API_KEY is not set, so the small embedded provider answers, which is not a language model')
  const embedded = await startEmbeddedProvider(embeddedPaceMs)
  return {
    plugins: [embedded.plugin],
    close: embedded.close,
    provider: 'deepseek',
    defaultModel: deepseekModel,
  }
}

/** Any Chat Completions server; a provider name that is also a dialect's chooses that dialect. */
function chooseServer(baseURL: string, name: string | undefined, env: CliHost['env']): Choice {
  const provider = name ?? 'custom'
  const apiKey = readKey(env, name === undefined ? 'OPENAI_API_KEY' : toVariable(name))
  const dialect = isDialectName(provider) ? provider : undefined
  return {
    plugins: [use(openaiCompatible, { providers: { [provider]: { baseURL, apiKey, dialect } } })],
    provider,
  }
}

/** A key is sent only to the provider whose name it bears, so a typo in the address gives no other key away. */
function toVariable(provider: string): string {
  return `${provider.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}_API_KEY`
}

/** An empty variable is how shells and compose files unset one, and a pasted key often ends in a line break. */
function readKey(env: CliHost['env'], variable: string): string | undefined {
  const key = env[variable]?.trim()
  return key === '' ? undefined : key
}

function isDialectName(name: string): name is DialectName {
  return Object.hasOwn(dialects, name)
}
