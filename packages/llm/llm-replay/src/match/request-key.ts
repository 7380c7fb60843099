import { createHash } from 'node:crypto'
import { canonicalRequest, type GenerateOptions, type JsonValue } from 'dsh-llm'
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

  /** Throws `INVALID_REQUEST` for what is no plain data, `INVALID_CONFIG` if the hook fails. Costs three passes. */
  toKey(options: GenerateOptions): RequestKey {
    const redacted = this.#redactor.request(canonicalRequest(options, { ignore: this.#ignore }))
    // A masked key stands at another place in the order of keys.
    const request = canonicalRequest(toOptions(redacted)) as RecordedRequest
    return { request, fingerprint: createHash('sha256').update(JSON.stringify(request)).digest('hex') }
  }

  /** The key of a request that was read from a recording: rules may have been added since it was made. */
  ofRecorded(request: RecordedRequest): RequestKey {
    return this.toKey(toOptions(request))
  }
}

/** A canonical request has the shape of one, less what is ignored. */
function toOptions(request: JsonValue): GenerateOptions {
  const options: unknown = request
  return options as GenerateOptions
}
