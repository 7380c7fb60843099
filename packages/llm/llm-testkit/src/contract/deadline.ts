import { type ContractRule, ContractError, contractFixes } from './contract-rules.ts'

/** Waits for a promise, but no longer than `patienceMs`; then the rule is broken. Leaves no timer behind. */
export async function within<T>(
  promise: PromiseLike<T>,
  {
    rule,
    seen,
    patienceMs,
  }: { readonly rule: ContractRule; readonly seen: string; readonly patienceMs: number },
): Promise<T> {
  const { promise: expired, reject } = Promise.withResolvers<never>()
  const late = `${seen} within ${patienceMs} ms`
  const timer = setTimeout(
    () => reject(new ContractError({ rule, seen: late, fix: contractFixes[rule] })),
    patienceMs,
  )
  try {
    return await Promise.race([promise, expired])
  } finally {
    clearTimeout(timer)
  }
}
