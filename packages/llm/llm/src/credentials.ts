import { isLlmError, LlmError } from './error.ts'
import { readProperty } from './read-property.ts'

/** A key, or a function that is asked for it before each request. */
export type ApiKeySource = string | (() => string | undefined | Promise<string | undefined>)

/** Where the key of one route comes from, as its config says. */
export interface ApiKeyOptions {
  /** Wins over `apiKeyEnv`; a function that gives nothing does not fall back to it. */
  readonly apiKey?: ApiKeySource | undefined
  /** Name of the environment variable that holds the key. */
  readonly apiKeyEnv?: string | undefined
  /** The route that needs the key, for the error text. */
  readonly provider: string
}

const printableAscii = /^[ -~]+$/

/**
 * Finds the key of one request. Without a key fails with `MISSING_CREDENTIAL`, with an unusable one with
 * `INVALID_CREDENTIAL`; where there is no environment, as in browsers, every variable counts as unset.
 */
export async function resolveApiKey(options: ApiKeyOptions): Promise<string> {
  const { apiKey, apiKeyEnv, provider } = options
  if (apiKey === undefined && apiKeyEnv !== undefined)
    return requireApiKey(readEnvironment(apiKeyEnv), `${apiKeyEnv} (for provider "${provider}")`)
  const origin = `apiKey of provider "${provider}"`
  return requireApiKey(typeof apiKey === 'function' ? await askForKey(apiKey, origin) : apiKey, origin)
}

/**
 * The key without surrounding white space. `origin` names where it came from, such as a variable; a failure tells that
 * name and no part of the key.
 */
export function requireApiKey(key: unknown, origin: string): string {
  if (key !== undefined && key !== null && typeof key !== 'string') {
    throw new LlmError(`${origin} cannot be used: it is a ${typeof key}, give a string`, 'INVALID_CREDENTIAL')
  }
  const trimmed = (key ?? '').trim()
  if (trimmed === '') {
    throw new LlmError(
      `No API key: ${origin} is not set, set it to a key of your account`,
      'MISSING_CREDENTIAL',
    )
  }
  if (printableAscii.test(trimmed)) return trimmed
  const message = `${origin} cannot be used: it holds characters other than printable ASCII, copy the key again`
  throw new LlmError(message, 'INVALID_CREDENTIAL')
}

async function askForKey(
  ask: () => string | undefined | Promise<string | undefined>,
  origin: string,
): Promise<unknown> {
  try {
    return await ask()
  } catch (cause) {
    if (isLlmError(cause)) throw cause
    // The text of a foreign error may quote the key, so it stays in the cause.
    throw new LlmError(`No API key: the function given as ${origin} failed`, 'MISSING_CREDENTIAL', { cause })
  }
}

function readEnvironment(name: string): unknown {
  return readProperty(readProperty(readProperty(globalThis, 'process'), 'env'), name)
}
