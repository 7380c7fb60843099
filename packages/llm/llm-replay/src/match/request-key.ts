import { createHash } from 'node:crypto'
import { canonicalRequest, type GenerateOptions } from 'dsh-llm'
import type { RecordedRequest } from '../file/recorded-call.ts'
import type { Redactor } from '../redact/redactor.ts'

/** A request as it is written and compared. */
export interface RequestKey {
  readonly fingerprint: string
  readonly request: RecordedRequest
}

/** Makes keys under one set of rules, which must be the same on both sides of a comparison. */
export class RequestKeys {
  readonly #redactor: Redactor
  readonly #ignore: readonly string[]

  constructor(redactor: Redactor, ignore: readonly string[] = []) {
    this.#redactor = redactor
    this.#ignore = ignore
  }

  /** Throws `INVALID_REQUEST` for what is no plain data, and what the redact hook throws. Costs one pass. */
  of(options: GenerateOptions): RequestKey {
    const redacted: unknown = this.#redactor.value(canonicalRequest(options, { ignore: this.#ignore }))
    const request = redacted as RecordedRequest
    return { request, fingerprint: createHash('sha256').update(JSON.stringify(request)).digest('hex') }
  }

  /** The key of a request that was read from a recording: rules may have been added since it was made. */
  ofRecorded(request: RecordedRequest): RequestKey {
    const options: unknown = request
    return this.of(options as GenerateOptions)
  }
}
