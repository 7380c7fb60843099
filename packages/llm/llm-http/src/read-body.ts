import { LlmError } from 'dsh-llm'
import type { Exchange } from './exchange.ts'
import { LONGEST_TIMER_MS } from './limits.ts'
import { concatBytes } from './concat-bytes.ts'

/** Reads a body to its end; one beyond `maxEventBytes` fails with `RESPONSE_TOO_LARGE`. `begun` are its first bytes. */
export async function readWholeBody(exchange: Exchange, begun: readonly Uint8Array[] = []): Promise<string> {
  const pieces = [...begun]
  const complete = await collect(exchange, pieces, exchange.request.limits.maxEventBytes)
  if (!complete) throw tooLarge(exchange, 'The body')
  return decode(pieces)
}

/**
 * Reads as much of a body as the bounds for errors allow and leaves the rest. Only an abort makes it fail: a body that
 * stalls, breaks off or is too long must not hide the status that came before it.
 */
export async function readErrorBody(exchange: Exchange, begun: readonly Uint8Array[] = []): Promise<string> {
  const { clock, limits, signals } = exchange.request
  const pieces = [...begun]
  const delayMs = Math.min(limits.errorBodyMs, LONGEST_TIMER_MS)
  const cancelTimer = delayMs === 0 ? undefined : clock.schedule(() => exchange.close(), delayMs)
  try {
    await collect(exchange, pieces, limits.maxErrorBodyBytes)
  } catch (error) {
    if (signals.some((signal) => signal.aborted)) throw error
  } finally {
    cancelTimer?.()
    exchange.close()
  }
  return decode(pieces).slice(0, limits.maxErrorBodyBytes)
}

/** The failure of an answer, or of one event in it, that is larger than `maxEventBytes`. */
export function tooLarge(exchange: Exchange, what: string): LlmError {
  const { limits, place } = exchange.request
  const text = `${what} of the answer of ${place} is larger than ${limits.maxEventBytes} bytes (limit maxEventBytes); raise the limit to accept it`
  return new LlmError(text, 'RESPONSE_TOO_LARGE', { status: exchange.status, requestId: exchange.requestId })
}

// True if the body ended by itself within the bound.
async function collect(exchange: Exchange, pieces: Uint8Array[], maxBytes: number): Promise<boolean> {
  let byteLength = pieces.reduce((sum, piece) => sum + piece.length, 0)
  while (byteLength <= maxBytes) {
    const more = await exchange.read()
    if (more === undefined) return true
    for (const piece of more) {
      pieces.push(piece)
      byteLength += piece.length
    }
  }
  return false
}

function decode(pieces: readonly Uint8Array[]): string {
  return new TextDecoder().decode(concatBytes(pieces))
}
