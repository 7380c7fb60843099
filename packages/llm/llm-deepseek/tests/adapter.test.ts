import { CallId, createToolResultMessage, createUserMessage } from 'dsh-llm'
import { describe, expect, it } from 'vitest'
import { chatCompletions, deepseekDialect, jsonAnswer, sseComment } from 'dsh-llm-testkit'
import { clock, deepSeekAnswer, question, stage } from './deepseek-kit.ts'

describe('DeepSeekAdapter: answers', () => {
  it('reads reasoning, text, usage with cache hits and the trace id', async () => {
    const usage = { inputTokens: 12, cacheReadTokens: 128, outputTokens: 9, reasoningTokens: 7 }
    const answer = deepSeekAnswer(
      { reasoning: ['Two ', 'and two'], text: '4', usage },
      { 'x-ds-trace-id': 'trace-1' },
    )
    await using set = await stage([answer])
    const { message, usage: counted, finish } = await set.llm.generate(question())
    expect(message?.content).toEqual([
      { type: 'reasoning', text: 'Two and two' },
      { type: 'text', text: '4' },
    ])
    expect(counted).toEqual(usage)
    expect(finish).toMatchObject({
      reason: { kind: 'stop' },
      response: { requestId: 'trace-1', provider: 'deepseek' },
    })
  })

  it('waits through keep-alives in the queue', async () => {
    const frames = chatCompletions({ text: 'late' }, deepseekDialect)
    const chunks = [sseComment('keep-alive'), sseComment('keep-alive'), ...frames]
    await using set = await stage([{ chunks }])
    expect((await set.llm.generate(question())).text).toBe('late')
  })

  it('gives reasoning back with the tool call on the next turn', async () => {
    const calls = [{ id: 'call_00_a', name: 'clock', arguments: ['{"zone":', '"UTC"}'] }]
    await using set = await stage([
      deepSeekAnswer({ reasoning: 'use clock', calls }),
      deepSeekAnswer({ text: 'nine' }),
    ])
    const first = await set.llm.generate(question({ tools: [clock] }))
    expect(first.finish.reason.kind).toBe('tool-calls')
    if (first.message === undefined) throw new Error('no message came')
    const result = createToolResultMessage({ callId: CallId('call_00_a'), content: '09:00' })
    const messages = [createUserMessage('hi'), first.message, result]
    await set.llm.generate(question({ tools: [clock], messages }))
    expect(set.server.requests[1]?.json).toMatchObject({
      messages: [
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          content: '',
          reasoning_content: 'use clock',
          tool_calls: [
            { id: 'call_00_a', type: 'function', function: { name: 'clock', arguments: '{"zone":"UTC"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_00_a', content: '09:00' },
      ],
    })
  })

  it.each([
    ['insufficient_system_resource', 'INSUFFICIENT_SYSTEM_RESOURCE'],
    ['content_filter', 'CONTENT_FILTER'],
    ['something_new', 'SOMETHING_NEW'],
    // Said by the server, so it must not look like an abort of the caller.
    ['aborted', 'SERVER'],
  ])('ends with the failure that %s names and keeps the text', async (finish, code) => {
    await using set = await stage([deepSeekAnswer({ text: 'Ste', finish })])
    const answer = await set.llm.generate(question())
    expect(answer.finish.reason).toMatchObject({ kind: 'error', failure: { code } })
    expect(answer.message).toBeUndefined()
    expect(answer.partial).toEqual([{ type: 'text', text: 'Ste' }])
  })
})

const body = (message: string, type: string) => ({
  error: { message, type, param: null, code: 'invalid_request_error' },
})

const tooLong = "This model's maximum context length is 10 tokens. However, you requested 20 tokens"
const tooMany =
  'Your current concurrency is 9, which exceeds your concurrency limit of 5 based on your remaining balance'

describe('DeepSeekAdapter: refusals', () => {
  it.each([
    [400, body(tooLong, 'invalid_request_error'), 'CONTEXT_WINDOW_EXCEEDED'],
    [401, body('Authentication Fails, Your api key: ****test is invalid', 'authentication_error'), 'AUTH'],
    [402, body('Insufficient Balance', 'unknown_error'), 'QUOTA'],
    [429, body(tooMany, 'rate_limit_error'), 'RATE_LIMIT'],
    [429, body('Insufficient Balance', 'unknown_error'), 'QUOTA'],
  ])(
    'tells %i apart by status, type and text, never by the code that all share',
    async (status, json, code) => {
      await using set = await stage([jsonAnswer(json, { status, headers: { 'x-ds-trace-id': 'trace-2' } })])
      const { finish } = await set.llm.generate(question())
      expect(finish.reason).toMatchObject({ kind: 'error', failure: { code, status, requestId: 'trace-2' } })
    },
  )

  it('shows no part of a key that an error text repeats', async () => {
    const apiKey = 'sk-test-SENTINEL'
    await using set = await stage(
      [jsonAnswer(body(`Bad key ${apiKey}`, 'authentication_error'), { status: 401 })],
      { apiKey },
    )
    const { finish } = await set.llm.generate(question())
    expect(JSON.stringify(finish.reason)).not.toContain('SENTINEL')
  })

  it('names the environment variable of a missing key', async () => {
    await using set = await stage([], { apiKey: undefined, apiKeyEnv: 'DSH_TEST_UNSET_KEY' })
    const { finish } = await set.llm.generate(question())
    expect(finish.reason).toMatchObject({ failure: { code: 'MISSING_CREDENTIAL' } })
    expect(JSON.stringify(finish.reason)).toContain('DSH_TEST_UNSET_KEY')
    expect(set.server.requests).toHaveLength(0)
  })
})
