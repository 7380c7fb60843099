import { isHarnessError } from 'dsh-context'
import { deepFreeze, markFrozen } from './deep-freeze.ts'
import { detach } from './detach.ts'
import { LlmError } from './error.ts'
import { rememberMessages } from './message-memo.ts'
import { readString } from './read-property.ts'
import { assertRequestFields, invalidField } from './request-fields.ts'
import type { GenerateOptions } from './types.ts'

const admitted = new WeakSet<GenerateOptions>()

/**
 * A frozen copy of a request (L5): its containers are copied, so the caller's own stay usable; messages and tool
 * schemas are frozen where they are. Throws `INVALID_REQUEST` naming the field. What was admitted comes back as it is.
 */
export function admitRequest(options: GenerateOptions): GenerateOptions {
  if (typeof options !== 'object' || options === null) throw invalidField('the request', 'an object', options)
  if (admitted.has(options)) return options
  try {
    // One read of each property: a getter could answer differently the next time.
    return admit(copyPresent(options))
  } catch (error) {
    if (isHarnessError(error)) throw error
    throw new LlmError('Could not send the request: it cannot be read', 'INVALID_REQUEST', { cause: error })
  }
}

function admit(request: GenerateOptions): GenerateOptions {
  assertRequestFields(request)
  const { messages, tools, stop, headers, toolChoice, responseFormat, providerOptions } = request
  return markAdmitted({
    ...request,
    messages: rememberMessages(messages).messages,
    ...(tools && { tools: Object.freeze(tools.map(deepFreeze)) }),
    ...(stop && { stop: Object.freeze([...stop]) }),
    ...(headers && { headers: Object.freeze({ ...headers }) }),
    ...(typeof toolChoice === 'object' && { toolChoice: Object.freeze({ ...toolChoice }) }),
    ...(responseFormat && { responseFormat: deepFreeze({ ...responseFormat }) }),
    ...(providerOptions && { providerOptions: detachOptions(providerOptions) }),
  })
}

/** Freezes a request that was made from an admitted one, and spares it the checks. */
export function markAdmitted<Request extends GenerateOptions>(request: Request): Request {
  admitted.add(Object.freeze(request))
  return request
}

function copyPresent(options: GenerateOptions): GenerateOptions {
  const copy = { ...options }
  for (const [key, value] of Object.entries(copy)) if (value === undefined) Reflect.deleteProperty(copy, key)
  return copy
}

function detachOptions(options: GenerateOptions['providerOptions']): GenerateOptions['providerOptions'] {
  try {
    return markFrozen(detach(options, 'providerOptions') as NonNullable<typeof options>)
  } catch (cause) {
    const why = readString(cause, 'message') ?? 'providerOptions cannot be read'
    throw new LlmError(`Could not send the request: ${why}`, 'INVALID_REQUEST', { cause })
  }
}
