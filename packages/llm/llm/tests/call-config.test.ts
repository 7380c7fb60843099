import { describe, expect, it } from 'vitest'
import { callConfigEquals, createUserMessage, type LlmCallConfig, toCallConfig } from '../src/index.ts'

const base: LlmCallConfig = { provider: 'p', model: 'm' }

describe('callConfigEquals', () => {
  it.each<[string, LlmCallConfig, LlmCallConfig, boolean]>([
    ['the same', base, { ...base }, true],
    ['undefined and absent', base, { ...base, temperature: undefined, stop: undefined }, true],
    ['no stops and absent', base, { ...base, stop: [] }, true],
    ['equal stops', { ...base, stop: ['a', 'b'] }, { ...base, stop: ['a', 'b'] }, true],
    ['stops in another order', { ...base, stop: ['a', 'b'] }, { ...base, stop: ['b', 'a'] }, false],
    ['fewer stops', { ...base, stop: ['a', 'b'] }, { ...base, stop: ['a'] }, false],
    ['another provider', base, { ...base, provider: 'q' }, false],
    ['another model', base, { ...base, model: 'n' }, false],
    ['another effort', base, { ...base, reasoningEffort: 'high' }, false],
    ['zero and absent', base, { ...base, temperature: 0 }, false],
    ['another topP', { ...base, topP: 1 }, { ...base, topP: 0.5 }, false],
    ['another seed', { ...base, seed: 1 }, { ...base, seed: 2 }, false],
    ['another cap', { ...base, maxTokens: 1 }, base, false],
  ])('tells %s', (_what, a, b, expected) => {
    expect(callConfigEquals(a, b)).toBe(expected)
    expect(callConfigEquals(b, a)).toBe(expected)
  })
})

describe('toCallConfig', () => {
  it('keeps what was given of a request, frozen and detached', () => {
    const stop = ['END']
    const options = {
      ...base,
      messages: [createUserMessage('x')],
      temperature: 0,
      topP: undefined,
      stop,
      system: 's',
    }
    const config = toCallConfig(options)
    stop.push('later')
    expect(config).toStrictEqual({ ...base, temperature: 0, stop: ['END'] })
    expect(Object.isFrozen(config) && Object.isFrozen(config.stop)).toBe(true)
    expect(callConfigEquals(config, { ...options, stop: ['END'] })).toBe(true)
  })

  it('leaves an empty list of stops out', () => {
    expect(toCallConfig({ ...base, stop: [] })).toStrictEqual(base)
  })
})
