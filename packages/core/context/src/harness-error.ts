const brand = Symbol.for('dsh.harness-error')

/** `cause` is the error this one explains; it is kept as it is and never copied into the message. */
export interface HarnessErrorOptions {
  readonly cause?: unknown
}

/**
 * An error with a stable code. Decisions read `code`, never the message. The brand survives two copies of the
 * package in one process: ask `isHarnessError`, not `instanceof`.
 */
export class HarnessError extends Error {
  static {
    Object.defineProperty(this.prototype, 'name', { value: 'HarnessError', writable: true, configurable: true })
    Object.defineProperty(this.prototype, brand, { value: true })
  }

  readonly code: string

  constructor(message: string, code: string, options?: HarnessErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Recognises a `HarnessError` of any copy of the package; anything else, hostile objects included, is `false`. */
export function isHarnessError(value: unknown): value is HarnessError {
  try {
    return typeof value === 'object' && value !== null && brand in value
  } catch {
    return false
  }
}
