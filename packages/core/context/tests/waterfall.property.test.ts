import { Context } from 'dsh-context'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import './kit.ts'

/** What one listener does: calls next() once per entry, with a replacement or without, and adds the results up. */
const listener = fc.record({
  calls: fc.array(fc.option(fc.integer({ min: -5, max: 5 }), { nil: undefined }), { maxLength: 3 }),
  priority: fc.integer({ min: -1, max: 1 }),
  prepend: fc.boolean(),
})

type Plan = typeof listener extends fc.Arbitrary<infer T> ? T : never

/** The law written as plain recursion over the chain. */
function evaluate(chain: readonly Plan[], value: number): number {
  const [first, ...rest] = chain
  if (first === undefined) return value + 1
  return first.calls.reduce<number>((sum, replacement) => sum + evaluate(rest, replacement ?? value), 0)
}

/** Priority first, then prepended ones from the latest to the earliest, then the others by age. */
function arrange(plans: readonly Plan[]): readonly Plan[] {
  const byPriority = (priority: number): Plan[] => {
    const equals = plans.filter((plan) => plan.priority === priority)
    return [...equals.filter((plan) => plan.prepend).toReversed(), ...equals.filter((plan) => !plan.prepend)]
  }
  return [1, 0, -1].flatMap(byPriority)
}

describe('Context.waterfall', () => {
  it('follows the law of next for any chain in any scopes (C4, C5, C6)', () => {
    fc.assert(
      fc.property(fc.array(listener, { maxLength: 5 }), fc.integer({ min: -5, max: 5 }), (plans, value) => {
        const root = new Context()
        const leaf = root.extend()
        for (const [index, { calls, ...options }] of plans.entries()) {
          const ctx = index % 2 === 0 ? root : leaf
          ctx.on(
            'fixture/sum',
            (_value, next) =>
              calls.reduce<number>((sum, call) => sum + (call === undefined ? next() : next(call)), 0),
            options,
          )
        }
        const actual = leaf.waterfall('fixture/sum', [value], (reached) => reached + 1)
        expect(actual).toBe(evaluate(arrange(plans), value))
      }),
    )
  })
})
