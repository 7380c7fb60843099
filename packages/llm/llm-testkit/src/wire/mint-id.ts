import { createHash } from 'node:crypto'
import type { NeutralCall } from './neutral-answer.ts'

/** An id that depends on nothing but its parts, so the same script gives the same id in every run. */
export function mintId(prefix: string, ...parts: readonly unknown[]): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([prefix, parts]))
    .digest('hex')
  return prefix + digest.slice(0, 24)
}

/** The id that a call was given, or one minted from its position, name and arguments. */
export function callIdOf(call: NeutralCall, position: number, prefix: string): string {
  return call.id ?? mintId(prefix, position, call.name, call.arguments)
}
