import type { LlmFailure } from 'dsh-llm'
import { toPlainLine } from './plain-text.ts'

// What the user of this program can do; decided by code alone, since messages are the providers' own.
const advice: ReadonlyMap<string, string> = new Map(
  Object.entries({
    MISSING_CREDENTIAL:
      'Set the variable that holds the API key: DEEPSEEK_API_KEY, or with --base-url the one that --help names',
    INVALID_CREDENTIAL: 'Copy the API key again, without quotes and line breaks around it',
    AUTH: 'Check that the API key is valid and belongs to this provider',
    QUOTA: 'Top up the account or raise its limit, then ask again',
    RATE_LIMIT: 'Wait a moment, then ask again',
    OVERLOADED: 'Wait a moment, then ask again',
    SERVER: 'Wait a moment, then ask again',
    INSUFFICIENT_SYSTEM_RESOURCE: 'Wait a moment, then ask again',
    NOT_FOUND:
      'Check --base-url (most servers want /v1 at its end) and --model; `dsh-llm models` lists the models',
    UNKNOWN_MODEL: 'Check --model; `dsh-llm models` lists the models',
    INVALID_REQUEST: 'Check --model and --effort; a server without tools needs --no-tools',
    UNSUPPORTED_OPTION: 'Leave the option that the message names away',
    UNSUPPORTED_REASONING_EFFORT: 'Leave --effort away, or give one that the message names',
    CONTEXT_WINDOW_EXCEEDED: 'Ask for less at once, or begin a new conversation',
    CONTENT_FILTER: 'Put the question in other words',
    TRANSPORT: 'Check that the server runs and can be reached at this address',
    TIMEOUT: 'Check the connection, then ask again; a local server may still be loading its model',
    STREAM_CLOSED: 'Ask again; if it happens each time, the server or a proxy before it cuts its answers',
    MALFORMED_RESPONSE: 'Check that --base-url is the address of a Chat Completions server',
    EMPTY_RESPONSE: 'Ask again, or try another model',
    REPLAY_DIVERGED: 'Ask as it was recorded, in a folder that looks as it did; or record again with --record',
    REPLAY_EXHAUSTED: 'Ask only what was recorded, or record again with --record',
    INVALID_RECORDING: 'Check the path, or record again with --record',
    RESPONSE_TOO_LARGE: 'Ask for a shorter answer, or set --max-tokens',
  }),
)

// Codes are open: an adapter or a listener may bring its own.
const otherAdvice = 'Ask again; if it happens each time, report the code and the request id'

/** Two lines for a person: what failed, with code, status and request id, and what to do now. */
export function describeFailure(failure: LlmFailure): string {
  const { code, message, status, requestId, providerRetryAfterMs } = failure
  // What a provider's support asks for first, so it stands in the line that people copy.
  const facts = [
    status === undefined ? '' : `status ${status}`,
    requestId === undefined ? '' : `request ${requestId}`,
    providerRetryAfterMs === undefined
      ? ''
      : `the provider asks for ${Math.ceil(providerRetryAfterMs / 1_000)} s`,
  ].filter((fact) => fact !== '')
  const suffix = facts.length === 0 ? '' : ` (${facts.join(', ')})`
  // The message may hold a provider's text, which must not reach the terminal as it is.
  return `${toPlainLine(`${code}: ${message}${suffix}`, 1_000)}\n${advice.get(code) ?? otherAdvice}`
}
