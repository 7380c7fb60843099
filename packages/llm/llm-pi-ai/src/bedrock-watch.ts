import { codeOfStatus, createFailure, type LlmFailure } from 'dsh-llm'
import { createRedactor, parseRetryAfter } from 'dsh-llm-http'
import type { Below } from './below.ts'
import type { Stage } from './failure.ts'
import type { PiOptions } from './pi-api.ts'

/** Characters of a header that a failure repeats at most. */
const longestHeader = 200

/**
 * Stands where a transport of ours would, for Bedrock: its SDK signs and sends requests itself. Status, request id and
 * the time to wait come from pi-ai's hook; there are no limits, no back-pressure and no body of an error.
 */
export class BedrockWatch implements Below {
  readonly options: PiOptions
  failure: LlmFailure | undefined
  requestId: string | undefined
  stage: Stage = 'sent'

  /** Masks the key of the call, where it has one. */
  readonly redact: (text: string) => string

  constructor(options: PiOptions, apiKey: string | undefined) {
    this.redact = createRedactor({ secrets: apiKey === undefined ? [] : [apiKey] })
    this.options = { ...options, onResponse: (response) => this.#see(response) }
  }

  /** What it throws for a failed answer keeps the SDK from sending the request three times. */
  #see({
    status,
    headers,
  }: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
  }): void {
    this.requestId = this.#told(headers['x-amzn-requestid'])
    this.stage = 'answered'
    if (status < 400) return
    const kind = this.#told(headers['x-amzn-errortype'])?.split(':')[0] ?? 'no error type'
    const facts = { status, requestId: this.requestId, providerRetryAfterMs: parseRetryAfter(headers) }
    this.failure = createFailure(
      `Bedrock answered with status ${status} (${kind})`,
      codeOfStatus(status),
      facts,
    )
    throw new Error(this.failure.message)
  }

  /** What a header says, as far as it is worth repeating. */
  #told(header: string | undefined): string | undefined {
    return header === undefined ? undefined : this.redact(header).slice(0, longestHeader)
  }

  resume(): void {}
  pause(): void {}
  sawContent(): void {}
  finish(): void {}
  close(): void {}
}
