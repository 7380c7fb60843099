import { describe, expect, it } from 'vitest'
import {
  LlmAdapter,
  LlmError,
  type LlmModelInfo,
  type LlmProviderInfo,
  type LlmResolvedModelInfo,
  type LlmRuntime,
  type RetryPolicy,
  type StreamChunk,
} from '../src/index.ts'
import { says, stream } from './support/chunks.ts'
import { failureOf, read, summary } from './support/outcome.ts'
import { ask, startTestLlm } from './support/test-llm.ts'
import { WatchedController } from './support/watched-signal.ts'

interface Facts {
  readonly info?: unknown
  readonly models?: () => unknown
  readonly model?: () => unknown
  readonly policy?: unknown
}

/** An adapter that tells whatever a test says. */
class TellingAdapter extends LlmAdapter {
  readonly #facts: Facts

  constructor(facts: Facts) {
    super()
    this.#facts = facts
  }

  override stream(): AsyncIterable<StreamChunk> {
    return stream(...says('a'))
  }

  override providerInfo(provider: string): LlmProviderInfo {
    return (this.#facts.info ?? super.providerInfo(provider)) as LlmProviderInfo
  }

  override async listModels(provider: string): Promise<readonly LlmModelInfo[]> {
    return (this.#facts.models?.() ?? super.listModels(provider)) as Promise<LlmModelInfo[]>
  }

  override async resolveModel(provider: string, model: string): Promise<LlmResolvedModelInfo> {
    return (this.#facts.model?.() ?? super.resolveModel(provider, model)) as Promise<LlmResolvedModelInfo>
  }

  override providerRetryPolicy(): Partial<RetryPolicy> | undefined {
    return this.#facts.policy as Partial<RetryPolicy> | undefined
  }
}

async function startTelling(facts: Facts): Promise<LlmRuntime> {
  const { llm } = await startTestLlm()
  llm.registerAdapter(['p'], new TellingAdapter(facts))
  return llm
}

const model = { provider: 'p', id: 'm', name: 'M' }
const efforts = [
  { id: 'low', name: 'Low' },
  { id: 'high', name: 'High' },
]
const code = (value: string): unknown => expect.objectContaining({ code: value })

describe('LlmRuntime, asked about providers and models (L2)', () => {
  it('knows nothing that nobody told', async () => {
    const llm = await startTelling({})
    expect(llm.listProviders()).toEqual([{ id: 'p', name: 'p' }])
    expect(await llm.listModels('p')).toEqual([])
    expect(await llm.resolveModel('p', 'm')).toEqual({ provider: 'p', id: 'm', name: 'm' })
    expect(llm.providerRetryPolicy('p')).toBeUndefined()
  })

  it('gives frozen copies that the adapter can no longer change', async () => {
    const told = { ...model, context: { contextWindow: 10 } }
    const llm = await startTelling({ models: () => [told], model: () => told, policy: { maxAttempts: 2 } })
    const [listed, resolved] = [await llm.listModels('p'), await llm.resolveModel('p', 'm')]
    told.context.contextWindow = 99
    expect(listed[0]).toEqual({ ...model, context: { contextWindow: 10 } })
    expect(resolved.context?.contextWindow).toBe(10)
    expect([Object.isFrozen(listed), Object.isFrozen(resolved.context)]).toEqual([true, true])
    expect(llm.providerRetryPolicy('p')).toEqual({ maxAttempts: 2 })
  })

  it.each(['listModels', 'resolveModel'] as const)(
    'rejects %s of an unknown route, naming those there are',
    async (method) => {
      const llm = await startTelling({})
      await expect(llm[method]('q', 'm' as never)).rejects.toEqual(code('NO_ADAPTER'))
      await expect(llm[method]('q', 'm' as never)).rejects.toThrow('registered are "p"')
    },
  )

  it('throws NO_ADAPTER for the policy and the options of an unknown route', async () => {
    const llm = await startTelling({})
    expect(() => llm.providerRetryPolicy('q')).toThrow(code('NO_ADAPTER') as Error)
    expect(() => llm.unsupported(ask({ provider: 'q' }))).toThrow(code('NO_ADAPTER') as Error)
  })

  it.each<[string, Facts, (llm: LlmRuntime) => unknown, string]>([
    [
      'a provider of another id',
      { info: { id: 'q', name: 'Q' } },
      async (llm) => llm.listProviders(),
      'INVALID_CATALOG',
    ],
    ['models that are no list', { models: () => 'm' }, (llm) => llm.listModels('p'), 'INVALID_CATALOG'],
    ['a model twice', { models: () => [model, model] }, (llm) => llm.listModels('p'), 'INVALID_CATALOG'],
    [
      'another model',
      { model: () => ({ ...model, id: 'n' }) },
      (llm) => llm.resolveModel('p', 'm'),
      'INVALID_MODEL_INFO',
    ],
    [
      'a model that is a function',
      { model: () => () => model },
      (llm) => llm.resolveModel('p', 'm'),
      'INVALID_MODEL_INFO',
    ],
    [
      'a policy of no attempts',
      { policy: { maxAttempts: 0 } },
      async (llm) => llm.providerRetryPolicy('p'),
      'INVALID_CATALOG',
    ],
  ])('refuses %s', async (_what, facts, askAbout, expected) => {
    await expect(askAbout(await startTelling(facts))).rejects.toEqual(code(expected))
  })

  it('lets the error of an adapter through', async () => {
    const error = new LlmError('No key', 'MISSING_CREDENTIAL')
    const llm = await startTelling({ models: () => Promise.reject(error) })
    await expect(llm.listModels('p')).rejects.toBe(error)
  })

  it('waits no longer for a deaf adapter than the signal allows', async () => {
    const llm = await startTelling({ models: () => new Promise(() => {}), model: () => new Promise(() => {}) })
    const controller = new WatchedController()
    const waiting = [llm.listModels('p', controller.signal), llm.resolveModel('p', 'm', controller.signal)]
    controller.abort()
    for (const wait of waiting) await expect(wait).rejects.toEqual(code('ABORTED'))
    expect(controller.listeners).toBe(0)
  })
})

describe('A reasoning effort (L4)', () => {
  it('that the model lists is passed on', async () => {
    const llm = await startTelling({ model: () => ({ ...model, reasoning: { efforts } }) })
    expect(summary(await read(llm.stream(ask({ reasoningEffort: 'high' }))))).toBe('stop')
  })

  it.each([
    ['lists others', { efforts }, 'choose one of low, high'],
    ['lists none', { efforts: [] }, 'it offers none'],
  ])('is refused before any I/O where the model %s', async (_what, reasoning, advice) => {
    const llm = await startTelling({ model: () => ({ ...model, reasoning }) })
    const { chunks } = await read(llm.stream(ask({ reasoningEffort: 'max' })))
    expect(failureOf(chunks)).toEqual({
      code: 'UNSUPPORTED_REASONING_EFFORT',
      message: `Model "m" of provider "p" has no reasoning effort "max"; ${advice}`,
    })
  })

  it('is left to the adapter where nothing is known', async () => {
    const llm = await startTelling({ model: () => model })
    expect(summary(await read(llm.stream(ask({ reasoningEffort: 'max' }))))).toBe('stop')
  })

  it.each<[string, () => unknown, string]>([
    ['throws', () => Promise.reject(new LlmError('Busy', 'OVERLOADED')), 'error OVERLOADED'],
    ['gives nonsense', () => 7, 'error INVALID_MODEL_INFO'],
  ])('fails as data where the adapter %s', async (_what, resolve, expected) => {
    const llm = await startTelling({ model: resolve })
    expect(summary(await read(llm.stream(ask({ reasoningEffort: 'max' }))))).toBe(expected)
  })

  it('whose check never ends is ended by the abort', async () => {
    const llm = await startTelling({ model: () => new Promise(() => {}) })
    const controller = new WatchedController()
    const reading = read(llm.stream(ask({ reasoningEffort: 'max', signal: controller.signal })))
    controller.abort()
    expect(summary(await reading)).toBe('aborted ABORTED')
    expect(controller.listeners).toBe(0)
  })
})
