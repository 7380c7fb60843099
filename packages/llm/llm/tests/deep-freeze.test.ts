import { describe, expect, it } from 'vitest'
import { deepFreeze } from '../src/index.ts'

describe('deepFreeze', () => {
  it('freezes plain objects and arrays in place, at any depth', () => {
    const value = { list: [{ a: [1] }], bare: Object.assign(Object.create(null), { b: {} }) }
    expect(deepFreeze(value)).toBe(value)
    expect(
      [value, value.list, value.list[0], value.list[0]?.a, value.bare, value.bare.b].every(Object.isFrozen),
    ).toBe(true)
  })

  it.each([
    ['a signal', new AbortController().signal],
    ['a function', () => {}],
    [
      'a class instance',
      new (class Point {
        x = { y: 1 }
      })(),
    ],
    ['a binary view', new Uint8Array(2)],
    ['a map', new Map([[1, {}]])],
    ['a set', new Set([{}])],
  ])('leaves %s as it is', (_what, value) => {
    deepFreeze({ value })
    deepFreeze(value)
    expect(Object.isFrozen(value)).toBe(false)
  })

  it.each([undefined, null, 'text', 5, Symbol.iterator])('gives %s back', (value) => {
    expect(deepFreeze(value)).toBe(value)
  })

  it('ends at cycles', () => {
    const node: { self?: object; child: object } = { child: {} }
    node.self = node
    deepFreeze(node)
    expect(Object.isFrozen(node.child)).toBe(true)
  })

  it('has no limit of depth', () => {
    const bottom = {}
    let top: object = bottom
    for (let depth = 0; depth < 200_000; depth += 1) top = [top]
    deepFreeze(top)
    expect(Object.isFrozen(bottom)).toBe(true)
  })

  it('does not call accessors', () => {
    const value = Object.defineProperty({}, 'x', {
      enumerable: true,
      get: () => {
        throw new Error('called')
      },
    })
    expect(Object.isFrozen(deepFreeze(value))).toBe(true)
  })

  it('enters what was frozen on its surface only', () => {
    const inner = { a: 1 }
    deepFreeze(Object.freeze({ inner }))
    expect(Object.isFrozen(inner)).toBe(true)
  })

  it('looks at nothing of a root that it froze before', () => {
    let reads = 0
    const watched = new Proxy(
      { a: {} },
      {
        ownKeys: (target) => {
          reads += 1
          return Reflect.ownKeys(target)
        },
      },
    )
    deepFreeze(watched)
    const before = reads
    deepFreeze(watched)
    expect(reads).toBe(before)
    expect(before).toBeGreaterThan(0)
  })
})
