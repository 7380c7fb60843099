import type { ReasoningEcho } from './request-rules.ts'

/** Models of 2025 and their distillations, which refuse a request that carries old reasoning. */
const r1Style = /(^|[^a-z0-9])r1([^a-z0-9]|$)/i
/** Models that refuse a request whose assistant turns lack it. Gateways put the vendor in front of the name. */
const v4Family = /deepseek[-_ ]?(v[4-9]|flash)/i

/** What DeepSeek's own endpoint and hosts of its models want: every turn, but no turn for R1-style models. */
export function deepSeekEcho(model: string): ReasoningEcho {
  return r1Style.test(model) ? 'never' : 'always'
}

/** The rule of a server that hosts many families: DeepSeek's newer models have their own, all others `otherwise`. */
export function echoByFamily(otherwise: ReasoningEcho): (model: string) => ReasoningEcho {
  return (model) => (v4Family.test(model) ? deepSeekEcho(model) : otherwise)
}
