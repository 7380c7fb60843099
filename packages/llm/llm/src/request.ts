import { isHarnessError } from 'dsh-context'
import { deepFreeze, markFrozen } from './deep-freeze.ts'
import { detach } from './detach.ts'
import { rememberMessages } from './message-memo.ts'
import { present } from './present.ts'
import { readString } from './read-property.ts'
import { assertRequestFields, unsendable } from './request-fields.ts'
import type { GenerateOptions } from './types.ts'
import { isObject } from './value-rules.ts'

const admitted = new WeakSet<GenerateOptions>()

/**
 * A frozen copy of a request (L5): its containers are copied, so the caller's own stay usable; messages and tool
 * schemas are frozen where they are. Throws `INVALID_REQUEST` naming the field. What was admitted comes back as it is.
 */
export function admitRequest(options: GenerateOptions): GenerateOptions {
  if (admitted.has(options)) return options
  try {
    // One read of each property: a getter could answer differently the next time.
    return admit(isObject(options) ? present(options) : options)
  } catch (error) {
    if (isHarnessError(error)) throw error
    throw unsendable('it cannot be read', { cause: error })
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

function detachOptions(options: GenerateOptions['providerOptions']): GenerateOptions['providerOptions'] {
  try {
    return markFrozen(detach(options, 'providerOptions') as NonNullable<typeof options>)
  } catch (cause) {
    throw unsendable(readString(cause, 'message') ?? 'providerOptions cannot be read', { cause })
  }
}
