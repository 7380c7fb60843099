import { type Fault, faults } from './faults.ts'

/** How many requests of a hundred fail. */
const FAILING_PERCENT = 30
/** Attempts on one route. */
export const MAX_ATTEMPTS = 4

export type RouteName = 'main' | 'spare'

/** One request of the drill: the `attempt`th, counting from 1, of a call to a route. */
export interface DrillRequest {
  readonly call: number
  readonly route: RouteName
  readonly attempt: number
}

/** What shall happen to a request, the same in every run however calls overlap; nothing for a good answer. */
export function faultOf({ call, route, attempt }: DrillRequest): Fault | undefined {
  const dice = scramble(`${call} ${route} ${attempt}`)
  if (dice % 100 >= FAILING_PERCENT) return undefined
  const fault = faults[Math.floor(dice / 100) % faults.length]
  // The last route refuses nobody: what it says is the answer to the call.
  return route === 'spare' && fault?.kind === 'refused' ? faults[0] : fault
}

/** What a call must come to under the policy of the drill. */
export interface Forecast {
  readonly isAnswered: boolean
  readonly requests: number
}

/** Plays a call through without any of the code that is being drilled. */
export function forecast(call: number, until: 'first-content' | 'finish'): Forecast {
  let requests = 0
  for (const route of ['main', 'spare'] as const) {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      requests += 1
      const fault = faultOf({ call, route, attempt })
      if (fault === undefined) return { isAnswered: true, requests }
      if (fault.isSeen && until === 'first-content') return { isAnswered: false, requests }
      if (fault.kind === 'refused') break
    }
  }
  return { isAnswered: false, requests }
}

/** FNV-1a and a final mix: spreads neighbours all over 32 bits. */
function scramble(text: string): number {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return (hash ^ (hash >>> 15)) >>> 0
}
