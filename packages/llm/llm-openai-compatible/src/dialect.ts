import { createRequestRules, type RequestRules } from './request-rules.ts'
import { createResponseRules, type ResponseRules } from './response-rules.ts'

/** How one server differs from the reference: data and small pure functions, frozen, shared by any number of routes. */
export interface Dialect {
  readonly name: string
  /** What the body may say and how. */
  readonly request: RequestRules
  /** How deltas, finish reasons, usage and errors are read. */
  readonly response: ResponseRules
}

/** The parts in which a dialect differs; whatever is left out is read and written as `generic` does. */
export interface DialectParts {
  readonly name: string
  readonly request?: Partial<RequestRules> | undefined
  readonly response?: Partial<ResponseRules> | undefined
}

/** Completes and freezes a dialect. Start from a preset with `request: { ...dialects.vllm.request, … }`. */
export function createDialect({ name, request, response }: DialectParts): Dialect {
  return Object.freeze({
    name,
    request: createRequestRules(request),
    response: createResponseRules(response),
  })
}
