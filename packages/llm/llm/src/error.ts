import { HarnessError, type HarnessErrorOptions } from 'dsh-context'
import { createFailure, type FailureFacts } from './failure-facts.ts'
import { readProperty } from './read-property.ts'
import type { LlmFailure } from './types.ts'

const brand: unique symbol = Symbol.for('dsh.llm-error')

export interface LlmErrorOptions extends FailureFacts, HarnessErrorOptions {}

/**
 * A failed call, thrown by adapters and turned into a `finish` by the runtime. `failure` is frozen and holds what
 * consumers see; `cause` stays in the process.
 */
export class LlmError extends HarnessError {
  override readonly name: string = 'LlmError'
  readonly failure: LlmFailure

  constructor(message: string, code: string, options: LlmErrorOptions = {}) {
    super(message, code, options)
    this.failure = createFailure(message, code, options)
    Object.defineProperty(this, brand, { value: true })
  }
}

/** Tells an `LlmError` by its brand, so one made by another copy of this package counts as well. Never throws. */
export function isLlmError(value: unknown): value is LlmError {
  return readProperty(value, brand) === true
}

const MAX_DEPTH = 16

/** The error and its causes, outermost first; ends at a cycle, after 16 links, or where a cause cannot be read. */
export function errorChain(error: unknown): readonly unknown[] {
  const chain: unknown[] = []
  let current = error
  while (current !== undefined && current !== null && chain.length < MAX_DEPTH && !chain.includes(current)) {
    chain.push(current)
    current = readProperty(current, 'cause')
  }
  return chain
}
