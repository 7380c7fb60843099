import { isHarnessError } from 'dsh-context'
import { errorChain, isLlmError } from './error.ts'
import { createFailure, toStatus } from './failure-facts.ts'
import { readProperty, readString } from './read-property.ts'
import { codeOfStatus } from './status-code.ts'
import type { LlmFailure } from './types.ts'

const timeouts = new Set([
  'ETIMEDOUT',
  'ESOCKETTIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
])

const transports = new Set([
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETRESET',
  'ENETUNREACH',
  'ENOTCONN',
  'ENOTFOUND',
  'EPIPE',
  'EPROTO',
])

/** Codes of TLS and of the HTTP clients, which have one prefix each instead of a list. */
const transportPrefixes = ['UND_ERR_', 'ERR_TLS_', 'ERR_SSL_', 'CERT_', 'HPE_']

/**
 * Turns anything thrown into a failure (L9). Knows errors of other copies of this package, Node system codes, causes of
 * `undici` and `fetch`, and objects with a `status`. Never throws, whatever the value's getters do.
 */
export function normaliseFailure(thrown: unknown): LlmFailure {
  const chain = errorChain(thrown)
  return branded(chain) ?? byStatus(chain) ?? byName(chain) ?? bySystemCode(chain) ?? unknown(thrown)
}

function branded(chain: readonly unknown[]): LlmFailure | undefined {
  for (const link of chain) {
    if (!isLlmError(link) && !isHarness(link)) continue
    const facts = readProperty(link, 'failure')
    const code = readString(facts, 'code') ?? readString(link, 'code')
    if (code === undefined) continue
    return createFailure(messageOf(facts) ?? messageOf(link) ?? code, code, toFacts(facts))
  }
  return undefined
}

function isHarness(value: unknown): boolean {
  try {
    return isHarnessError(value)
  } catch {
    return false
  }
}

function toFacts(source: unknown): object {
  return typeof source === 'object' && source !== null ? source : {}
}

function byStatus(chain: readonly unknown[]): LlmFailure | undefined {
  for (const link of chain) {
    const status = toStatus(readProperty(link, 'status')) ?? toStatus(readProperty(link, 'statusCode'))
    if (status === undefined || status < 400) continue
    const code = codeOfStatus(status)
    const requestId = readString(link, 'requestId') ?? readString(link, 'request_id')
    return createFailure(messageOf(link) ?? `The provider answered with status ${status}`, code, {
      status,
      requestId,
    })
  }
  return undefined
}

function byName(chain: readonly unknown[]): LlmFailure | undefined {
  for (const link of chain) {
    const name = readProperty(link, 'name')
    if (name === 'TimeoutError') return createFailure(messageOf(link) ?? 'The call timed out', 'TIMEOUT')
    // Nobody who may abort did so: something below gave up by itself, which is the transport's fault.
    if (name === 'AbortError')
      return createFailure(messageOf(link) ?? 'The transport aborted the call', 'TRANSPORT')
  }
  return undefined
}

function bySystemCode(chain: readonly unknown[]): LlmFailure | undefined {
  for (const link of chain) {
    const systemCode = readString(link, 'code')
    const code = systemCode === undefined ? undefined : toTransportCode(systemCode)
    if (code !== undefined)
      return createFailure(`${messageOf(link) ?? 'The connection failed'} (${systemCode})`, code)
  }
  // `fetch` rejects with a bare TypeError when the network fails and its reason stays hidden, as in browsers.
  const first = chain[0]
  const bare =
    readProperty(first, 'name') === 'TypeError' &&
    /fetch|network|terminated|load failed/i.test(messageOf(first) ?? '')
  return bare ? createFailure(messageOf(first) ?? 'The connection failed', 'TRANSPORT') : undefined
}

function toTransportCode(systemCode: string): string | undefined {
  if (timeouts.has(systemCode)) return 'TIMEOUT'
  if (transports.has(systemCode)) return 'TRANSPORT'
  return transportPrefixes.some((prefix) => systemCode.startsWith(prefix)) ? 'TRANSPORT' : undefined
}

function unknown(thrown: unknown): LlmFailure {
  const message =
    messageOf(thrown) ??
    (typeof thrown === 'object' || typeof thrown === 'function' ? undefined : printed(thrown))
  return createFailure(message ?? 'The call failed with a value that says nothing about why', 'UNKNOWN')
}

function messageOf(value: unknown): string | undefined {
  return readString(value, 'message')
}

function printed(value: unknown): string | undefined {
  const text = String(value)
  return text.trim() === '' || value === undefined ? undefined : text
}
