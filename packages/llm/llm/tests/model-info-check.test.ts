import { describe, expect, it } from 'vitest'
import {
  checkedModelInfo,
  checkedModelList,
  checkedProviderInfo,
  checkedRetryPolicy,
} from '../src/model-info-check.ts'

const model = { provider: 'p', id: 'm', name: 'Model M' }
const effort = { id: 'low', name: 'Low' }

describe('checkedModelInfo', () => {
  it.each([
    ['the least there is', model],
    [
      'every fact',
      {
        ...model,
        description: '',
        inputModalities: ['text', 'image'],
        context: { contextWindow: 128_000 },
        defaultMaxTokens: 4096,
        reasoning: { efforts: [effort, { id: 'max', name: 'Max', description: 'slow' }], defaultEffort: 'max' },
      },
    ],
    ['no efforts at all', { ...model, reasoning: { efforts: [] } }],
    ['fields of its own', { ...model, price: { input: 1 } }],
  ])('accepts %s as a detached frozen copy', (_what, info) => {
    const copy = checkedModelInfo(info, 'p', 'm')
    expect(copy).toStrictEqual(info)
    expect(copy).not.toBe(info)
    expect(Object.isFrozen(copy)).toBe(true)
  })

  it('drops facts that are undefined', () => {
    expect(checkedModelInfo({ ...model, context: undefined }, 'p', 'm')).toStrictEqual(model)
  })

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'it must be an object, but is undefined'],
    ['a list', [model], 'it must be an object, but is an array of 1'],
    ['a function', () => model, 'is a function'],
    ['another provider', { ...model, provider: 'q' }, 'provider must be "p", but is "q"'],
    ['another model', { ...model, id: 'n' }, 'id must be "m", but is "n"'],
    ['a blank name', { ...model, name: ' ' }, 'name must be a non-blank string, but is " "'],
    ['a description that is no text', { ...model, description: 5 }, 'description must be a string, but is 5'],
    [
      'modalities that are no list',
      { ...model, inputModalities: 'text' },
      'inputModalities must be an array, but is "text"',
    ],
    [
      'a blank modality',
      { ...model, inputModalities: ['text', ''] },
      'inputModalities[1] must be a non-blank string, but is ""',
    ],
    [
      'a window of zero',
      { ...model, context: { contextWindow: 0 } },
      'context.contextWindow must be a whole number above 0, but is 0',
    ],
    ['a window of NaN', { ...model, context: { contextWindow: Number.NaN } }, 'context.contextWindow is NaN'],
    [
      'half a token',
      { ...model, defaultMaxTokens: 0.5 },
      'defaultMaxTokens must be a whole number above 0, but is 0.5',
    ],
    [
      'efforts that are no list',
      { ...model, reasoning: { efforts: {} } },
      'reasoning.efforts must be an array, but is an object',
    ],
    [
      'an effort without a name',
      { ...model, reasoning: { efforts: [{ id: 'low' }] } },
      'reasoning.efforts[0].name must be a non-blank string, but is undefined',
    ],
    [
      'one effort twice',
      { ...model, reasoning: { efforts: [effort, effort] } },
      'reasoning.efforts[1].id must be unique, but is "low"',
    ],
    [
      'a default that is not offered',
      { ...model, reasoning: { efforts: [effort], defaultEffort: 'max' } },
      'reasoning.defaultEffort must be "low", but is "max"',
    ],
  ])('refuses %s, naming the path and the value', (_what, info, why) => {
    expect(() => checkedModelInfo(info, 'p', 'm')).toThrow(
      expect.objectContaining({ code: 'INVALID_MODEL_INFO', message: expect.stringContaining(why) }),
    )
  })
})

describe('checkedModelList', () => {
  it('accepts models of the provider, in order', () => {
    const models = [model, { ...model, id: 'n' }]
    expect(checkedModelList(models, 'p')).toStrictEqual(models)
    expect(checkedModelList([], 'p')).toEqual([])
  })

  it.each<[string, unknown, string]>([
    ['no list', null, 'it must be an array, but is null'],
    ['a set', new Set([model]), 'is an instance of a class'],
    ['one id twice', [model, model], '[1].id must be unique, but is "m"'],
    ['a model of another provider', [{ ...model, provider: 'q' }], '[0].provider must be "p", but is "q"'],
    ['a hostile getter', [hostile('name')], '[0].name is an accessor'],
  ])('refuses %s', (_what, list, why) => {
    expect(() => checkedModelList(list, 'p')).toThrow(
      expect.objectContaining({ code: 'INVALID_CATALOG', message: expect.stringContaining(why) }),
    )
  })
})

describe('checkedProviderInfo', () => {
  it('accepts the route under a name', () => {
    expect(checkedProviderInfo({ id: 'p', name: 'Provider' }, 'p')).toStrictEqual({ id: 'p', name: 'Provider' })
  })

  it.each<[unknown, string]>([
    [{ id: 'q', name: 'Provider' }, 'unusable providerInfo: id must be "p", but is "q"'],
    [{ id: 'p', name: '' }, 'name must be a non-blank string, but is ""'],
    [Promise.resolve({ id: 'p', name: 'P' }), 'is an instance of a class'],
  ])('refuses %o', (info, why) => {
    expect(() => checkedProviderInfo(info, 'p')).toThrow(
      expect.objectContaining({ code: 'INVALID_CATALOG', message: expect.stringContaining(why) }),
    )
  })
})

describe('checkedRetryPolicy', () => {
  it.each([
    undefined,
    {},
    {
      maxAttempts: 1,
      maxElapsedMs: 0,
      initialDelayMs: 500,
      maxDelayMs: 1,
      maxProviderDelayMs: 2,
      codes: [],
      until: 'never',
    },
  ])('accepts %o', (policy) => {
    expect(checkedRetryPolicy(policy, 'p')).toStrictEqual(policy)
  })

  it.each<[unknown, string]>([
    [null, 'it must be an object, but is null'],
    [{ maxAttempts: 0 }, 'maxAttempts must be a whole number above 0, but is 0'],
    [{ maxElapsedMs: -1 }, 'maxElapsedMs must be a number of milliseconds, 0 or more, but is -1'],
    [{ initialDelayMs: '5' }, 'initialDelayMs must be a number of milliseconds, 0 or more, but is "5"'],
    [{ codes: ['A', 5] }, 'codes[1] must be a non-blank string, but is 5'],
    [{ until: 'later' }, 'until must be one of "first-content", "finish", "never", but is "later"'],
  ])('refuses %o', (policy, why) => {
    expect(() => checkedRetryPolicy(policy, 'p')).toThrow(
      expect.objectContaining({ code: 'INVALID_CATALOG', message: expect.stringContaining(why) }),
    )
  })
})

function hostile(key: string): object {
  const get = (): never => {
    throw new Error('no')
  }
  return Object.defineProperty({ ...model }, key, { get, enumerable: true })
}
