import type { ReasoningEcho, RequestRules } from './request-rules.ts'

/** Everything beside the message that decides its form on the wire. Frozen, and one object per combination. */
export interface EncodingProfile {
  readonly rules: RequestRules
  readonly echo: ReasoningEcho
  /** Whose replay state goes out; absent where none does. */
  readonly replayFor: { readonly provider: string; readonly model: string } | undefined
}

const profiles = new WeakMap<RequestRules, Map<string, EncodingProfile>>()

/** The profile of a route and model; the same object whenever the same things count, so encodings can be kept under it. */
export function profileOf(rules: RequestRules, provider: string, model: string): EncodingProfile {
  const echo = rules.reasoningEcho(model)
  const key = rules.echoesReplayState ? JSON.stringify([echo, provider, model]) : echo
  const known = profiles.get(rules) ?? new Map<string, EncodingProfile>()
  profiles.set(rules, known)
  const profile = known.get(key) ?? createProfile(rules, echo, { provider, model })
  known.set(key, profile)
  return profile
}

function createProfile(
  rules: RequestRules,
  echo: ReasoningEcho,
  route: { readonly provider: string; readonly model: string },
): EncodingProfile {
  return Object.freeze({ rules, echo, replayFor: rules.echoesReplayState ? Object.freeze(route) : undefined })
}
