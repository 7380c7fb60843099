import { createLlm, type RetryPolicy, use } from 'dsh-llm'
import { ScriptedAdapter } from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import retry, { DEFAULT_RETRY_POLICY, type RetryConfig } from '../src/index.ts'
import { createStage, fails, messageOf, readAll, registers, request } from './support/retry-stage.ts'

class WishingAdapter extends ScriptedAdapter {
  readonly wish: object
  constructor(wish: object) {
    super([{ text: 'Hi' }])
    this.wish = wish
  }
  override providerRetryPolicy(): Partial<RetryPolicy> {
    return this.wish
  }
}

async function policyWith(config: RetryConfig, wish: object): Promise<RetryPolicy> {
  await using host = await createLlm({
    plugins: [registers('w', new WishingAdapter(wish)), use(retry, config)],
  })
  return host.ctx.llmRetry.policyOf('w')
}

describe('LlmRetry.policyOf', () => {
  it('gives the defaults where nobody says anything', async () => {
    await using stage = await createStage([])
    expect(stage.ctx.llmRetry.policyOf('p')).toEqual(DEFAULT_RETRY_POLICY)
  })

  it('takes each part from the provider, else the adapter, else the config for all', async () => {
    const config = {
      maxAttempts: 9,
      maxDelayMs: 9,
      initialDelayMs: 9,
      providers: { w: { maxAttempts: 2, maxElapsedMs: undefined }, other: { maxDelayMs: 1 } },
    }
    expect(await policyWith(config, { maxAttempts: 5, maxDelayMs: 5, maxElapsedMs: 5 })).toEqual({
      ...DEFAULT_RETRY_POLICY,
      maxAttempts: 2,
      maxDelayMs: 5,
      initialDelayMs: 9,
      maxElapsedMs: 5,
    })
  })

  it('gives the same frozen object until adapters change', async () => {
    await using stage = await createStage([])
    const policy = stage.ctx.llmRetry.policyOf('p')
    expect([Object.isFrozen(policy), Object.isFrozen(policy.codes)]).toEqual([true, true])
    expect(stage.ctx.llmRetry.policyOf('p')).toBe(policy)
    stage.ctx.llm.registerAdapter(['new'], new WishingAdapter({ maxAttempts: 7 }))
    expect(stage.ctx.llmRetry.policyOf('new').maxAttempts).toBe(7)
    expect(stage.ctx.llmRetry.policyOf('p')).not.toBe(policy)
  })

  it('does not take a route for something that every object has', async () => {
    await using stage = await createStage([], { config: { providers: {} } })
    expect(stage.ctx.llmRetry.policyOf('constructor')).toEqual(DEFAULT_RETRY_POLICY)
  })

  it.each([
    [{ maxAttempt: 3 }, 'maxAttempt'],
    [{ maxDelayMs: 2 ** 31 }, 'maxDelayMs must be 2147483647 or less'],
    [{ maxAttempts: 0 }, 'maxAttempts must be a whole number above 0'],
  ])('lets a call fail whose adapter asks for %o', async (wish, words) => {
    await using stage = await createStage([])
    stage.ctx.llm.registerAdapter(['w'], new WishingAdapter(wish))
    const chunks = await readAll(stage, { provider: 'w' })
    const failure = { code: 'INVALID_CATALOG' }
    expect(chunks).toMatchObject([{ reason: { kind: 'error', failure }, response: { provider: 'w' } }])
    expect(messageOf(chunks)).toContain(words)
  })
})

describe('LlmRetry and an adapter with a bug', () => {
  it('lets a call fail whose adapter throws when it is asked for its policy', async () => {
    class BuggyAdapter extends ScriptedAdapter {
      override providerRetryPolicy(): never {
        throw new TypeError('a bug')
      }
    }
    await using stage = await createStage([])
    stage.ctx.llm.registerAdapter(['w'], new BuggyAdapter([{ text: 'Hi' }]))
    const chunks = await readAll(stage, { provider: 'w' })
    expect(chunks).toMatchObject([{ reason: { kind: 'error', failure: { code: 'INVALID_CATALOG' } } }])
    expect(messageOf(chunks)).toBe('The adapter of provider "w" could not be asked for its retry policy: a bug')
  })
})

describe('retry config', () => {
  it.each<[config: object, words: string]>([
    [{ maxRetries: 2 }, 'maxRetries: '],
    [{ providers: { p: { untill: 'never' } } }, 'providers.p.untill: '],
    [{ providers: { p: { until: 'sometimes' } } }, 'providers.p.until: must be first-content, finish or never'],
    [{ providers: [] }, 'providers: must be a plain object'],
    [{ maxAttempts: 0 }, 'maxAttempts: must be 1 or more'],
    [{ maxAttempts: 1.5 }, 'maxAttempts: must be a whole number'],
    [{ maxElapsedMs: -1 }, 'maxElapsedMs: must be 0 or more'],
    [{ maxElapsedMs: Number.NaN }, 'maxElapsedMs: must be a number'],
    [{ initialDelayMs: Infinity }, 'initialDelayMs: must be finite'],
    [{ maxProviderDelayMs: 3e9 }, 'maxProviderDelayMs: must be 2147483647 or less'],
    [{ codes: 'SERVER' }, 'codes: must be a list of codes'],
    [{ codes: ['SERVER', ' '] }, 'codes.1: must not be blank'],
    [{ clock: {} }, 'clock: must be a Clock'],
    [{ random: 0.5 }, 'random: must be a function'],
  ])('is refused: %o', async (config, words) => {
    const loading = createLlm({ plugins: [use(retry, config as RetryConfig)] })
    await expect(loading).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
    await expect(loading).rejects.toThrow(words)
  })

  it('may be left out', async () => {
    await using host = await createLlm({ plugins: [use(retry)] })
    expect(host.ctx.get('llmRetry')).toBeDefined()
  })

  it('may bring a clock of its own', async () => {
    const clock = { now: () => 0, schedule: (callback: () => void) => (callback(), () => {}) }
    await using stage = await createStage([fails('SERVER'), { text: 'Hi' }], { config: { clock } })
    const { text } = await stage.llm.generate(request)
    expect([text, stage.clock.now()]).toEqual(['Hi', 0])
  })
})

describe('a second retry', () => {
  it('is refused with words that say why', async () => {
    await using host = await createLlm({ plugins: [use(retry)] })
    host.ctx.on('internal/error', () => {})
    const second = host.ctx.plugin(retry, { maxAttempts: 2 })
    await expect(second).rejects.toMatchObject({ code: 'DUPLICATE_SERVICE' })
    await expect(second).rejects.toThrow('two would multiply their attempts')
  })

  it('is refused in a child scope as well, whose calls the first one hears', async () => {
    await using host = await createLlm({ plugins: [use(retry)] })
    host.ctx.on('internal/error', () => {})
    await expect(host.ctx.extend().plugin(retry)).rejects.toMatchObject({ code: 'DUPLICATE_SERVICE' })
  })

  it('is refused above a child scope that has one, whose calls it would retry once more', async () => {
    await using host = await createLlm()
    host.ctx.on('internal/error', () => {})
    const below = host.ctx.extend().plugin(retry)
    await below
    await expect(host.ctx.plugin(retry)).rejects.toMatchObject({ code: 'DUPLICATE_SERVICE' })
    await host.ctx.extend().plugin(retry)
    await below.dispose()
    await expect(host.ctx.plugin(retry)).rejects.toMatchObject({ code: 'DUPLICATE_SERVICE' })
  })

  it('may be loaded above a child scope where it was unloaded', async () => {
    await using host = await createLlm()
    const below = host.ctx.extend().plugin(retry)
    await below
    await below.dispose()
    await host.ctx.plugin(retry)
    expect(host.ctx.get('llmRetry')).toBeDefined()
  })

  it('may take the place of one that was unloaded', async () => {
    await using host = await createLlm()
    const first = host.ctx.plugin(retry, { maxAttempts: 2 })
    await first
    await first.dispose()
    await host.ctx.plugin(retry, { maxAttempts: 3 })
    expect(host.ctx.llmRetry.policyOf('p').maxAttempts).toBe(3)
  })
})
