import { codeOfStatus, createFailure, type LlmFailure } from 'dsh-llm'
import { parseRetryAfter } from 'dsh-llm-http'
import type { Below } from './below.ts'
import type { Stage } from './failure.ts'
import type { PiOptions } from './pi-api.ts'

/**
 * Stands where a transport of ours would, for Bedrock: its SDK signs and sends requests itself. Status, request id and
 * the time to wait come from pi-ai's hook; there are no limits, no back-pressure and no body of an error.
 */
export class BedrockWatch implements Below {
  readonly options: PiOptions
  failure: LlmFailure | undefined
  requestId: string | undefined
  stage: Stage = 'sent'

  constructor(options: PiOptions) {
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
    this.requestId = headers['x-amzn-requestid']
    this.stage = 'answered'
    if (status < 400) return
    const kind = headers['x-amzn-errortype']?.split(':')[0] ?? 'no error type'
    const facts = { status, requestId: this.requestId, providerRetryAfterMs: parseRetryAfter(headers) }
    this.failure = createFailure(
      `Bedrock answered with status ${status} (${kind})`,
      codeOfStatus(status),
      facts,
    )
    throw new Error(this.failure.message)
  }

  redact(text: string): string {
    return text
  }

  resume(): void {}
  pause(): void {}
  sawContent(): void {}
  finish(): void {}
  close(): void {}
}
