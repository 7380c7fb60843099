import { describe, expect, it } from 'vitest'
import { createUserMessage, type Message, type StreamChunk, withoutReplayState } from '../src/index.ts'
import { close, delta, finish, open, says, stream } from './support/chunks.ts'
import { FunctionAdapter } from './support/function-adapter.ts'
import { ask, startTestLlm, type StreamListener, type TestLlm } from './support/test-llm.ts'

/** An adapter that leaves replay state with every answer. */
function remembering(state: string): FunctionAdapter {
  const chunks: StreamChunk[] = [open(0), delta(0, 'a'), close(0, 'a')]
  return new FunctionAdapter(() => stream(...chunks, finish('stop', { replayState: { response: { state } } })))
}

interface Setup extends TestLlm {
  readonly adapter: FunctionAdapter
  readonly history: readonly Message[]
}

/** A conversation whose one answer came from route `p` of an adapter that owns `p` and `p2`. */
async function start(): Promise<Setup & { handle: ReturnType<TestLlm['llm']['registerAdapter']> }> {
  const test = await startTestLlm()
  const adapter = remembering('mine')
  const handle = test.llm.registerAdapter(['p', 'p2'], adapter)
  const question = createUserMessage('hello')
  const { message } = await test.llm.generate(ask({ messages: [question] }))
  if (message === undefined) throw new Error('no answer')
  return { ...test, adapter, handle, history: [question, message, createUserMessage('and?')] }
}

/** The replay state that an adapter found on the answer in its latest request. */
function found(adapter: FunctionAdapter): unknown {
  const source = adapter.requests.at(-1)?.messages[1]?.source
  return source?.kind === 'model' ? source.replayState : 'no model source'
}

const mine = { response: { state: 'mine' } }

describe('Replay state', () => {
  it('lies on the message of the answer, frozen', async () => {
    const { history } = await start()
    expect(history[1]?.source).toEqual({ kind: 'model', provider: 'p', model: 'm', replayState: mine })
    expect(Object.isFrozen(history[1]?.source)).toBe(true)
  })

  it('reaches the same adapter on both of its routes', async () => {
    const { llm, adapter, history } = await start()
    for (const provider of ['p', 'p2']) {
      await llm.generate(ask({ provider, messages: history }))
      expect(found(adapter)).toEqual(mine)
    }
  })

  it('reaches nobody else', async () => {
    const { llm, history } = await start()
    const other = remembering('theirs')
    llm.registerAdapter(['q'], other)
    await llm.generate(ask({ provider: 'q', messages: history }))
    expect(found(other)).toBeUndefined()
    expect(other.requests[0]?.messages[0]).toBe(history[0])
  })

  it('reaches whoever owns the historical route now, as after a restart', async () => {
    const { llm, handle, history } = await start()
    await handle()
    const successor = remembering('theirs')
    llm.registerAdapter(['p'], successor)
    await llm.generate(ask({ messages: history }))
    expect(found(successor)).toEqual(mine)
    const other = remembering('other')
    llm.registerAdapter(['r'], other)
    await llm.generate(ask({ provider: 'r', messages: history }))
    expect(found(other)).toBeUndefined()
  })

  it('reaches the same instance again when it is registered again', async () => {
    const { llm, adapter, handle, history } = await start()
    await handle()
    llm.registerAdapter(['p', 'q'], adapter)
    await llm.generate(ask({ provider: 'q', messages: history }))
    expect(found(adapter)).toEqual(mine)
  })

  it('is kept back once replace() has given the historical route away', async () => {
    const { llm, adapter, handle, history } = await start()
    handle.replace(['p2'])
    await llm.generate(ask({ provider: 'p2', messages: history }))
    expect(found(adapter)).toBeUndefined()
    handle.replace(['p2', 'p'])
    await llm.generate(ask({ provider: 'p2', messages: history }))
    expect(found(adapter)).toEqual(mine)
  })

  it('is kept back from the adapter a listener reroutes to, and given to the first', async () => {
    const { llm, adapter, history, listen } = await start()
    const other = remembering('theirs')
    llm.registerAdapter(['q'], other)
    const route: StreamListener = async function* (request, next) {
      for await (const chunk of next()) void chunk
      yield* next({ ...request, provider: 'q' })
    }
    listen('route', route)
    const { message } = await llm.generate(ask({ messages: history }))
    expect([found(adapter), found(other)]).toEqual([mine, undefined])
    expect(message?.source).toMatchObject({ provider: 'q', replayState: { response: { state: 'theirs' } } })
  })

  it('is gone from a request made without it', async () => {
    const { llm, adapter, history } = await start()
    await llm.generate(withoutReplayState(ask({ messages: history })))
    expect(found(adapter)).toBeUndefined()
  })

  it('is not kept from an answer that failed', async () => {
    const test = await startTestLlm(() =>
      stream({
        ...finish('stop'),
        reason: { kind: 'error', failure: { message: 'no', code: 'SERVER' } },
        replayState: mine,
      }),
    )
    const answer = await test.llm.generate(ask())
    expect(answer.finish).not.toHaveProperty('replayState')
    expect(answer.message).toBeUndefined()
  })

  it('is not asked of histories without any', async () => {
    const { llm } = await startTestLlm()
    const adapter = new FunctionAdapter(() => stream(...says('a')))
    llm.registerAdapter(['p'], adapter)
    const messages = [createUserMessage('hello')]
    await llm.generate(ask({ messages }))
    expect(adapter.requests[0]?.messages[0]).toBe(messages[0])
  })
})
