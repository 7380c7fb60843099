import { createAssistantMessage, createUserMessage } from 'dsh-llm'
import { describe, expect, it } from 'vitest'
import { createStage, fails, failsAfter, messageOf, readAll, request, toWords } from './support/retry-stage.ts'

const hello = ['start 0 text', '"Hi"', 'end 0', 'finish stop']

describe('retry', () => {
  it('shows nothing of a failed attempt but that it was made', async () => {
    await using stage = await createStage([fails('OVERLOADED'), { text: 'Hi' }])
    const chunks = await readAll(stage)
    expect(toWords(chunks)).toEqual(['attempt 2 OVERLOADED 500', ...hello])
    expect(stage.adapter.requests).toHaveLength(2)
    expect(stage.clock.pending).toBe(0)
  })

  it('says what a void attempt cost, and counts the next one afresh', async () => {
    const costly = (outputTokens: number) =>
      failsAfter([
        { type: 'usage', usage: { outputTokens: 1 } },
        { type: 'usage', usage: { outputTokens } },
      ])
    await using stage = await createStage([costly(7), fails('SERVER'), { text: 'Hi' }])
    const usages = (await readAll(stage)).flatMap((chunk) => (chunk.type === 'attempt' ? [chunk.usage] : []))
    expect(usages).toEqual([{ outputTokens: 7 }, undefined])
  })

  it('doubles the bound of each wait up to the longest one', async () => {
    const script = [...Array.from({ length: 5 }, () => fails('SERVER')), { text: 'Hi' }]
    await using stage = await createStage(script, { config: { maxAttempts: 6, maxDelayMs: 3_000 } })
    const delays = [500, 1_000, 2_000, 3_000, 3_000].map((ms, at) => `attempt ${at + 2} SERVER ${ms}`)
    expect(toWords(await readAll(stage)).slice(0, 5)).toEqual(delays)
  })

  it.each([
    [0, 0],
    [0.25, 125],
    [0.999, 500],
  ])('waits a random part of the bound: %d', async (part, delayMs) => {
    await using stage = await createStage([fails('SERVER'), { text: 'Hi' }], { random: () => part })
    expect(toWords(await readAll(stage))[0]).toBe(`attempt 2 SERVER ${delayMs}`)
    expect(stage.clock.now()).toBe(delayMs)
  })

  it('waits exactly as long as the provider asks', async () => {
    const script = [fails('RATE_LIMIT', { providerRetryAfterMs: 59_999.5 }), { text: 'Hi' }]
    await using stage = await createStage(script)
    expect(toWords(await readAll(stage))[0]).toBe('attempt 2 RATE_LIMIT 60000')
    expect(stage.clock.now()).toBe(60_000)
  })

  it('passes a failure on as it is that is not worth another attempt', async () => {
    await using stage = await createStage([fails('SERVER'), fails('AUTH', { status: 401 })])
    const chunks = await readAll(stage)
    expect(toWords(chunks)).toEqual(['attempt 2 SERVER 500', 'finish error AUTH'])
    expect(messageOf(chunks)).toBe('it is AUTH')
  })

  it('leaves a request to a route that nobody owns to the runtime', async () => {
    await using stage = await createStage([])
    expect(toWords(await readAll(stage, { provider: 'nobody' }))).toEqual(['finish error NO_ADAPTER'])
  })
})

describe('retry that gives up', () => {
  it('ends with the last failure, saying how many attempts were made and how long they took', async () => {
    const last = fails('RATE_LIMIT', { status: 429, requestId: 'r3' })
    const config = { maxAttempts: 3 }
    await using stage = await createStage([fails('SERVER'), fails('TIMEOUT'), last], { config })
    const chunks = await readAll(stage)
    const failure = { code: 'RATE_LIMIT', status: 429, requestId: 'r3' }
    expect(chunks.at(-1)).toMatchObject({ reason: { kind: 'error', failure } })
    expect(messageOf(chunks)).toBe(
      'it is RATE_LIMIT; gave up after 3 attempts in 1.5 s, since maxAttempts is 3',
    )
  })

  it('does not wait longer for a provider than it may, nor shorter than asked', async () => {
    await using stage = await createStage([fails('RATE_LIMIT', { providerRetryAfterMs: 10_800_000 })])
    const chunks = await readAll(stage)
    expect(chunks).toMatchObject([{ reason: { failure: { providerRetryAfterMs: 10_800_000 } } }])
    expect(messageOf(chunks)).toContain('asks for a wait of 10800 s and maxProviderDelayMs is 60000')
    expect(stage.clock.now()).toBe(0)
  })

  it('begins no wait that would end after the budget, which counts attempts, too', async () => {
    const slow = { chunks: fails('SERVER'), delaysMs: 700 }
    const config = { maxElapsedMs: 2_000 }
    await using stage = await createStage([slow, slow], { config })
    const chunks = await readAll(stage)
    expect(toWords(chunks)).toEqual(['attempt 2 SERVER 500', 'finish error SERVER'])
    expect(messageOf(chunks)).toContain('waiting 1 s more would exceed maxElapsedMs, which is 2000')
    expect(stage.clock.now()).toBe(1_900)
  })
})

describe('retry after REPLAY_STATE_REJECTED', () => {
  const answer = createAssistantMessage({
    content: [{ type: 'text', text: 'before' }],
    source: { kind: 'model', provider: 'p', model: 'm', replayState: { response: 'signed' } },
  })
  const messages = [...request.messages, answer, createUserMessage('and now?')]

  it('runs the call once more without replay state, at once and free of charge', async () => {
    const script = [fails('REPLAY_STATE_REJECTED'), fails('SERVER'), { text: 'Hi' }]
    await using stage = await createStage(script, { config: { maxAttempts: 2 } })
    const words = toWords(await readAll(stage, { messages }))
    expect(words).toEqual(['attempt 2 REPLAY_STATE_REJECTED 0', 'attempt 3 SERVER 500', ...hello])
    const states = stage.adapter.requests.map((each) => each.messages.some(hasReplayState))
    expect(states).toEqual([true, false, false])
  })

  it('does so once', async () => {
    const script = [fails('REPLAY_STATE_REJECTED'), fails('REPLAY_STATE_REJECTED')]
    await using stage = await createStage(script)
    expect(toWords(await readAll(stage, { messages })).at(-1)).toBe('finish error REPLAY_STATE_REJECTED')
    expect(stage.adapter.requests).toHaveLength(2)
  })

  it('passes the failure on where there is no replay state', async () => {
    await using stage = await createStage([fails('REPLAY_STATE_REJECTED')])
    expect(toWords(await readAll(stage))).toEqual(['finish error REPLAY_STATE_REJECTED'])
  })
})

function hasReplayState({ source }: (typeof request.messages)[number]): boolean {
  return source.kind === 'model' && source.replayState !== undefined
}
