import { isHarnessError } from 'dsh-context'
import { errorChain, isLlmError } from './error.ts'
import { createFailure, toStatus } from './failure-facts.ts'
import { readProperty, readString } from './read-property.ts'
import { codeOfStatus } from './status-code.ts'
import type { LlmFailure } from './types.ts'

/** Codes of Node, `undici` and OpenSSL by how they begin, since each has a whole family of them. */
const transports = [
  'EAI_',
  'ECONN',
  'EHOST',
  'ENET',
  'ENOTCONN',
  'ENOTFOUND',
  'EPIPE',
  'EPROTO',
  'UND_ERR_',
  'ERR_TLS_',
  'ERR_SSL_',
  'CERT_',
  'HPE_',
]

const timeout = /^E(SOCKET)?TIMEDOUT$|^UND_ERR_\w+_TIMEOUT$/

/** What one error of a chain says about the failure, if anything; `message` is its own text. */
type Finder = (link: unknown, message: string | undefined) => LlmFailure | undefined

/** The surest first: each looks at the whole chain before the next one does. */
const finders: readonly Finder[] = [byBrand, byStatus, byName, bySystemCode]

/**
 * Turns anything thrown into a failure (L9). Knows errors of other copies of this package, Node system codes, causes of
 * `undici` and `fetch`, and objects with a `status`. Never throws, whatever the value's getters do.
 */
export function normaliseFailure(thrown: unknown): LlmFailure {
  const chain = errorChain(thrown)
  for (const find of finders) {
    for (const link of chain) {
      const failure = find(link, readString(link, 'message'))
      if (failure !== undefined) return failure
    }
  }
  return byText(thrown)
}

function byBrand(link: unknown, message: string | undefined): LlmFailure | undefined {
  if (!isLlmError(link) && !isHarnessError(link)) return undefined
  const facts = readProperty(link, 'failure')
  const code = readString(facts, 'code') ?? readString(link, 'code')
  if (code === undefined) return undefined
  return createFailure(
    readString(facts, 'message') ?? message ?? code,
    code,
    typeof facts === 'object' && facts !== null ? facts : {},
  )
}

function byStatus(link: unknown, message: string | undefined): LlmFailure | undefined {
  const status = toStatus(readProperty(link, 'status')) ?? toStatus(readProperty(link, 'statusCode'))
  if (status === undefined || status < 400) return undefined
  const requestId = readString(link, 'requestId') ?? readString(link, 'request_id')
  const text = message ?? `The provider answered with status ${status}`
  return createFailure(text, codeOfStatus(status), { status, requestId })
}

function byName(link: unknown, message: string | undefined): LlmFailure | undefined {
  const name = readProperty(link, 'name')
  if (name === 'TimeoutError') return createFailure(message ?? 'The call timed out', 'TIMEOUT')
  // Nobody who may abort did so: something below gave up by itself, which is the transport's fault.
  if (name === 'AbortError') return createFailure(message ?? 'The transport aborted the call', 'TRANSPORT')
  return undefined
}

function bySystemCode(link: unknown, message = 'The connection failed'): LlmFailure | undefined {
  const systemCode = readString(link, 'code') ?? ''
  const text = `${message} (${systemCode})`
  if (timeout.test(systemCode)) return createFailure(text, 'TIMEOUT')
  if (transports.some((start) => systemCode.startsWith(start))) return createFailure(text, 'TRANSPORT')
  return undefined
}

function byText(thrown: unknown): LlmFailure {
  const message = readString(thrown, 'message')
  // `fetch` rejects with a bare TypeError when the network fails and its reason stays hidden, as in browsers.
  const isNetwork =
    readProperty(thrown, 'name') === 'TypeError' && /fetch|network|terminated|load failed/i.test(message ?? '')
  const text = message ?? primitiveText(thrown)
  const silent = 'The call failed with a value that says nothing about why'
  return createFailure(text || silent, isNetwork ? 'TRANSPORT' : 'UNKNOWN')
}

function primitiveText(value: unknown): string {
  return ['undefined', 'object', 'function'].includes(typeof value) ? '' : String(value).trim()
}
