import { createLlm, use } from 'dsh-llm'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import openaiCompatible, { dialects } from '../src/index.ts'

const secret = 'SENTINELsecretKEY0123456789'

/** Configs that no route can work with, by the path of what is wrong. */
const rows: readonly (readonly [path: string, config: unknown])[] = [
  ['config', undefined],
  ['config', secret],
  ['config', []],
  ['providers', { providers: null }],
  ['providers', { providers: [] }],
  ['providers', { providers: secret }],
  ['providers', { providers: new Map() }],
  ['providers.p', { providers: { p: secret } }],
  ['surprise', { providers: {}, surprise: 1 }],
  ...provider('baseURL', [undefined, 'ftp://h', '/v1', 'http:', ' http://h ', secret, null]),
  ...provider('apiKey', [5, null, {}]),
  ...provider('apiKeyEnv', ['', 5]),
  ...provider('headers', [[], [secret], new Map(), new Headers({ a: secret }), secret]),
  ...nested('headers', 'a', [5, 'x\ny', '€', [secret]]),
  ...nested('headers', 'bad name', ['x']),
  ...provider('limits', [[], 5, secret]),
  ...nested('limits', 'idleBytesMs', [-1, NaN, Infinity, '5', secret]),
  ...nested('limits', 'maxEventBytes', [0, 1.5, Infinity]),
  ...nested('limits', 'surprise', [1]),
  ...provider('models', [{}, secret, [{ id: 'x' }, { id: 'x' }]]),
  ...nested('models', '0', [
    ['x'],
    [[]],
    [{ id: 'x', efforts: ['a'], defaultEffort: 'b' }],
    [{ id: 'x', defaultEffort: 'b' }],
  ]),
  ...nested('models', '0.id', [[{ id: '' }], [{}]]),
  ...nested('models', '0.contextWindow', [[{ id: 'x', contextWindow: 0 }]]),
  ...nested('models', '0.efforts', [[{ id: 'x', efforts: ['a', 'a'] }]]),
  ...provider('dialect', [
    'klingon',
    'toString',
    '__proto__',
    {},
    null,
    { name: 'x', request: {}, response: {} },
  ]),
  ...provider('dialect', [{ ...dialects.openai, response: 2 }]),
  ...provider('identity', [5, secret, { product: 'é', version: '1' }, { product: 'a\nb', version: '1' }]),
  ...provider('identity', [{ product: 'a', version: '1', url: 'x\r\ny: z' }]),
  ...nested('identity', 'version', [{ product: 'a', version: '' }]),
  ...provider('displayName', ['', 5]),
  ...provider('retryPolicy', [5, [], secret]),
  ...provider('fetch', [5]),
  ...provider('clock', [{}, [], { now: () => 0 }]),
  ...provider('onRequest', [5]),
  ...provider('onResponse', [secret]),
]

function provider(name: string, values: readonly unknown[]): (readonly [string, unknown])[] {
  return values.map((value) => [
    `providers.p.${name}`,
    { providers: { p: { baseURL: 'http://h', [name]: value } } },
  ])
}

function nested(name: string, path: string, values: readonly unknown[]): (readonly [string, unknown])[] {
  const isWhole = name === 'models' || name === 'identity'
  return values.map((value) => [
    `providers.p.${name}.${path}`,
    { providers: { p: { baseURL: 'http://h', [name]: isWhole ? value : { [path]: value } } } },
  ])
}

describe('a config that cannot work', () => {
  beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}))
  afterEach(() => void vi.restoreAllMocks())

  it.each(rows)('is INVALID_CONFIG naming %s', async (path, config) => {
    const loading = createLlm({ plugins: [use(openaiCompatible, config as never)] })
    const error = await loading.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({ code: 'INVALID_CONFIG', message: expect.stringContaining(` ${path}: `) })
    expect(String(error)).not.toContain(secret)
  })
})
