import { createLlm, use } from 'dsh-llm'
import { expectGrammar } from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import route, { type RouteConfig } from '../src/index.ts'
import { ask, createStage, fails, request } from './support/route-stage.ts'

const b = { provider: 'b', model: 'm' }
const c = { provider: 'c', model: 'm' }
const outage: RouteConfig = {
  fallbacks: [{ from: { provider: 'a' }, on: ['SERVER', 'OVERLOADED'], to: [b, c] }],
}

describe('route', () => {
  it('asks the alternative, shows the switch, and names who really answered', async () => {
    await using stage = await createStage({ a: [fails('SERVER')], b: [{ text: 'Hi' }] }, { config: outage })
    const { chunks, switches, text, message } = await ask(stage)
    expectGrammar(chunks)
    expect([switches, text]).toEqual([['2 SERVER → b/m'], 'Hi'])
    expect(chunks.find(({ type }) => type === 'attempt')).toMatchObject({ delayMs: 0, next: b })
    expect(message?.source).toMatchObject({ kind: 'model', provider: 'b', model: 'm' })
    expect(stage.adapters['b']?.requests[0]).toMatchObject({ ...b, messages: request.messages })
  })

  it('walks the list in order, each route once', async () => {
    const scripts = { a: [fails('SERVER')], b: [fails('OVERLOADED')], c: [{ text: 'Hi' }] }
    await using stage = await createStage(scripts, { config: outage })
    const { switches, text } = await ask(stage)
    expect([switches, text]).toEqual([['2 SERVER → b/m', '3 OVERLOADED → c/m'], 'Hi'])
  })

  it('ends with the last failure when no route is left, naming those it asked', async () => {
    const scripts = { a: [fails('SERVER')], b: [fails('OVERLOADED')], c: [fails('SERVER')] }
    await using stage = await createStage(scripts, { config: outage })
    const { finish } = await ask(stage)
    expect(finish.failure).toMatchObject({
      code: 'SERVER',
      message: 'it is SERVER; no route is left of a/m, b/m, c/m',
    })
  })

  it('passes a failure on as it is that is not in the list', async () => {
    await using stage = await createStage({ a: [fails('AUTH')] }, { config: outage })
    expect((await ask(stage)).finish.failure?.message).toBe('it is AUTH')
  })

  it('does not touch calls that no fallback concerns', async () => {
    await using stage = await createStage({ d: [fails('SERVER')], b: [] }, { config: outage })
    const { finish, switches } = await ask(stage, { provider: 'd' })
    expect([finish.failure?.message, switches]).toEqual(['it is SERVER', []])
  })

  it('lets the first fallback win that fits route and code', async () => {
    const config: RouteConfig = {
      fallbacks: [
        { from: { provider: 'a', model: 'other' }, on: ['SERVER'], to: [c] },
        {
          from: { provider: 'a', model: 'm' },
          on: ['CONTEXT_WINDOW_EXCEEDED'],
          to: [{ provider: 'a', model: 'big' }],
        },
        { from: { provider: 'a' }, on: ['SERVER'], to: [b] },
        { from: { provider: 'a' }, on: ['SERVER'], to: [c] },
      ],
    }
    const scripts = { a: [fails('CONTEXT_WINDOW_EXCEEDED'), fails('SERVER')], b: [{ text: 'Hi' }], c: [] }
    await using stage = await createStage(scripts, { config })
    const { switches, text } = await ask(stage)
    expect([switches, text]).toEqual([['2 CONTEXT_WINDOW_EXCEEDED → a/big', '3 SERVER → b/m'], 'Hi'])
  })

  it('does not come back to a route that failed', async () => {
    const config: RouteConfig = {
      fallbacks: [{ from: { provider: 'a' }, on: ['SERVER'], to: [{ provider: 'a', model: 'm' }, b, b] }],
    }
    await using stage = await createStage({ a: [fails('SERVER')], b: [fails('SERVER')] }, { config })
    expect((await ask(stage)).switches).toEqual(['2 SERVER → b/m'])
  })
})

describe('route with an alternative that cannot take the request', () => {
  it('passes it over for an option, and asks the next one', async () => {
    const scripts = { a: [fails('SERVER')], b: [], c: [{ text: 'Hi' }] }
    await using stage = await createStage(scripts, { config: outage, options: { b: ['system'] } })
    const { switches } = await ask(stage, { topP: 0.5 })
    expect([switches, stage.adapters['b']?.requests]).toEqual([['2 SERVER → c/m'], []])
  })

  it('passes it over where nobody serves it', async () => {
    await using stage = await createStage({ a: [fails('SERVER')], c: [{ text: 'Hi' }] }, { config: outage })
    expect((await ask(stage)).switches).toEqual(['2 SERVER → c/m'])
  })

  it('names option and route in the failure if none is left', async () => {
    const scripts = { a: [fails('SERVER')], b: [] }
    await using stage = await createStage(scripts, { config: outage, options: { b: [] } })
    const { finish, switches } = await ask(stage, { topP: 0.5, seed: 1 })
    expect([finish.failure?.code, switches]).toEqual(['SERVER', []])
    expect(finish.failure?.message).toBe(
      'it is SERVER; no route is left of a/m, b/m, c/m: b/m cannot honour topP, seed; c/m cannot be reached (NO_ADAPTER)',
    )
  })

  it('goes on when it refuses only after it was asked, and still ends with what went wrong', async () => {
    const scripts = {
      a: [fails('SERVER')],
      b: [fails('UNSUPPORTED_REASONING_EFFORT')],
      c: [fails('UNSUPPORTED_CONTENT')],
    }
    await using stage = await createStage(scripts, { config: outage })
    const { finish, switches } = await ask(stage)
    expect(switches).toEqual(['2 SERVER → b/m', '3 UNSUPPORTED_REASONING_EFFORT → c/m'])
    expect(finish.failure).toMatchObject({ code: 'SERVER' })
    expect(finish.failure?.message).toContain('it is UNSUPPORTED_REASONING_EFFORT; it is UNSUPPORTED_CONTENT')
  })
})

describe('route config', () => {
  it.each<[config: object, words: string]>([
    [{}, 'fallbacks: Invalid key'],
    [{ fallbacks: [], retries: 1 }, 'retries: '],
    [{ fallbacks: [{ from: {}, on: ['SERVER'], to: [b] }] }, 'fallbacks.0.from.provider: Invalid key'],
    [{ fallbacks: [{ from: { provider: 'a' }, on: [], to: [b] }] }, 'fallbacks.0.on: must not be empty'],
    [{ fallbacks: [{ from: { provider: 'a' }, on: ['SERVER'], to: [] }] }, 'fallbacks.0.to: must not be empty'],
    [
      { fallbacks: [{ from: { provider: 'a' }, on: ['X'], to: [{ ...b, models: 1 }] }] },
      'fallbacks.0.to.0.models: ',
    ],
    [{ fallbacks: [], until: 'never' }, 'until: must be first-content or finish'],
  ])('is refused: %j', async (config, words) => {
    const loading = createLlm({ plugins: [use(route, config as RouteConfig)] })
    await expect(loading).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
    await expect(loading).rejects.toThrow(words)
  })
})
