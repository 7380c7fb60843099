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
    ['nothing', undefined, 'the value is undefined, not an object'],
    ['a list', [model], 'not an object'],
    ['a function', () => model, 'is a function'],
    ['another provider', { ...model, provider: 'q' }, 'provider is "q", not "p"'],
    ['another model', { ...model, id: 'n' }, 'id is "n", not "m"'],
    ['a blank name', { ...model, name: ' ' }, 'name is " ", not a non-blank string'],
    ['a description that is no text', { ...model, description: 5 }, 'description is 5, not a string'],
    [
      'modalities that are no list',
      { ...model, inputModalities: 'text' },
      'inputModalities is "text", not a list',
    ],
    ['a blank modality', { ...model, inputModalities: ['text', ''] }, 'inputModalities[1] is "", not'],
    [
      'a window of zero',
      { ...model, context: { contextWindow: 0 } },
      'context.contextWindow is 0, not a whole number',
    ],
    ['a window of NaN', { ...model, context: { contextWindow: Number.NaN } }, 'context.contextWindow is NaN'],
    ['half a token', { ...model, defaultMaxTokens: 0.5 }, 'defaultMaxTokens is 0.5, not a whole number'],
    [
      'efforts that are no list',
      { ...model, reasoning: { efforts: {} } },
      'reasoning.efforts is {}, not a list',
    ],
    [
      'an effort without a name',
      { ...model, reasoning: { efforts: [{ id: 'low' }] } },
      'reasoning.efforts[0].name is undefined',
    ],
    [
      'one effort twice',
      { ...model, reasoning: { efforts: [effort, effort] } },
      'reasoning.efforts[1] is "low", not the only one',
    ],
    [
      'a default that is not offered',
      { ...model, reasoning: { efforts: [effort], defaultEffort: 'max' } },
      'reasoning.defaultEffort is "max", not one of low',
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
    ['no list', null, 'the value is null, not a list'],
    ['a set', new Set([model]), 'is an instance of a class'],
    ['one id twice', [model, model], '[1] is "m", not the only one with this id'],
    ['a model of another provider', [{ ...model, provider: 'q' }], '[0].provider is "q", not "p"'],
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
    [{ id: 'q', name: 'Provider' }, 'unusable providerInfo: id is "q", not "p"'],
    [{ id: 'p', name: '' }, 'name is "", not'],
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
    [null, 'the value is null, not an object'],
    [{ maxAttempts: 0 }, 'maxAttempts is 0'],
    [{ maxElapsedMs: -1 }, 'maxElapsedMs is -1, not a number of milliseconds'],
    [{ initialDelayMs: '5' }, 'initialDelayMs is "5"'],
    [{ codes: ['A', 5] }, 'codes[1] is 5'],
    [{ until: 'later' }, 'until is "later", not one of first-content, finish, never'],
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
