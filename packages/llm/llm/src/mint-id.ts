/** A random id for a message. */
export const mintMessageId = (): string => `msg_${crypto.randomUUID()}`

/** A random id for a tool call to which the wire gave none. */
export const mintCallId = (): string => `call_${crypto.randomUUID()}`
