import { HarnessError } from 'dsh-context'
import { APP_IDENTITY, type AppIdentity, userAgent } from './attribution.ts'
import { type Clock, systemClock } from './clock.ts'
import { describeFault, duration, fields } from './value-rules.ts'

export interface LlmRuntimeConfig {
  /** Time; the platform's by default. */
  readonly clock?: Clock | undefined
  /** How long calls may finish by themselves when a plugin is unloaded, in milliseconds; 5,000 by default. */
  readonly drainMs?: number | undefined
  /** How long a call waits for clean-up that is not its own, in milliseconds; 1,000 by default. */
  readonly cleanupMs?: number | undefined
  /** Who the requests say they come from; adapters take it unless they are given their own. */
  readonly identity?: AppIdentity | undefined
}

/** A config with its defaults; throws `INVALID_CONFIG` when the runtime loads, not with every call. */
export function resolveRuntimeConfig(config: LlmRuntimeConfig): ResolvedConfig {
  const {
    clock = systemClock,
    drainMs = 5_000,
    cleanupMs = 1_000,
    identity = APP_IDENTITY,
    ...unknown
  } = config
  const [extra] = Object.keys(unknown)
  if (extra !== undefined) refuse(`${extra} is no option; known are clock, drainMs, cleanupMs and identity`)
  const fault = durations({ drainMs, cleanupMs }, '')
  if (fault !== undefined) refuse(describeFault(fault))
  // Throws for what no header can carry.
  userAgent(identity)
  return { clock, drainMs, cleanupMs, identity }
}

interface ResolvedConfig {
  readonly clock: Clock
  readonly drainMs: number
  readonly cleanupMs: number
  readonly identity: AppIdentity
}

const durations = fields({ drainMs: duration, cleanupMs: duration })

function refuse(why: string): never {
  throw new HarnessError(`Could not load LlmRuntime: ${why}`, 'INVALID_CONFIG')
}
