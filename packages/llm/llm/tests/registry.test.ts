import type { Context } from 'dsh-context'
import { describe, expect, it } from 'vitest'
import type { AdapterRegistrationHandle, LlmAdapter, LlmRuntime } from '../src/index.ts'
import { says, stream } from './support/chunks.ts'
import { FunctionAdapter } from './support/function-adapter.ts'
import { read, summary } from './support/outcome.ts'
import { ask, startTestLlm } from './support/test-llm.ts'

const adapter = (): FunctionAdapter => new FunctionAdapter(() => stream(...says('a')))

const ids = (llm: LlmRuntime): readonly string[] => llm.listProviders().map(({ id }) => id)

/** Counts the commits that `llm/adapters-updated` tells of. */
function countUpdates(ctx: Context): { count: number } {
  const updates = { count: 0 }
  ctx.on('llm/adapters-updated', () => void (updates.count += 1))
  return updates
}

const boom = (): never => {
  throw new Error('boom')
}

const hostileArray = new Proxy(['p'], { get: boom })

describe('LlmRuntime.registerAdapter (L1)', () => {
  it('owns routes until its handle is called, in registration order', async () => {
    const { llm } = await startTestLlm()
    const first = llm.registerAdapter(['b', 'a'], adapter())
    llm.registerAdapter(['c'], adapter())
    expect(ids(llm)).toEqual(['b', 'a', 'c'])
    await first()
    expect(ids(llm)).toEqual(['c'])
    await first()
    expect(ids(llm)).toEqual(['c'])
  })

  it('takes a route from a stand-in, which keeps its others', async () => {
    const { llm } = await startTestLlm()
    llm.registerAdapter(['a', 'b'], Object.assign(adapter(), { givesWay: true }))
    const real = new FunctionAdapter(() => stream(...says('real')))
    const handle = llm.registerAdapter(['a'], real)
    expect((await llm.generate(ask({ provider: 'a' }))).text).toBe('real')
    expect((await llm.generate(ask({ provider: 'b' }))).text).toBe('a')
    await handle()
    expect(ids(llm)).toEqual(['b'])
  })

  const invalid: [what: string, register: (llm: LlmRuntime) => unknown][] = [
    ['no adapter', (llm) => llm.registerAdapter(['p'], undefined as unknown as LlmAdapter)],
    ['null', (llm) => llm.registerAdapter(['p'], null as unknown as LlmAdapter)],
    [
      'an object without stream()',
      (llm) => llm.registerAdapter(['p'], { options: new Set() } as unknown as LlmAdapter),
    ],
    [
      'an adapter whose options are no set',
      (llm) => llm.registerAdapter(['p'], Object.assign(adapter(), { options: ['stop'] })),
    ],
    [
      'an adapter without resolveModel()',
      (llm) => llm.registerAdapter(['p'], Object.assign(adapter(), { resolveModel: undefined })),
    ],
    ['a Proxy that throws', (llm) => llm.registerAdapter(['p'], new Proxy(adapter(), { get: boom }))],
    ['routes that are text', (llm) => llm.registerAdapter('p' as unknown as string[], adapter())],
    ['no routes at all', (llm) => llm.registerAdapter(undefined as unknown as string[], adapter())],
    ['a route that is a number', (llm) => llm.registerAdapter(['a', 1 as unknown as string], adapter())],
    ['a blank route', (llm) => llm.registerAdapter(['a', ' '], adapter())],
    ['the same route twice', (llm) => llm.registerAdapter(['a', 'a'], adapter())],
  ]

  it.each(invalid)('refuses %s and changes nothing', async (_what, register) => {
    const { llm, ctx } = await startTestLlm()
    llm.registerAdapter(['kept'], adapter())
    const updates = countUpdates(ctx)
    expect(() => register(llm)).toThrow(expect.objectContaining({ code: 'INVALID_ADAPTER' }))
    expect([ids(llm), updates.count]).toEqual([['kept'], 0])
  })

  it('refuses routes that cannot be read, and changes nothing', async () => {
    const { llm } = await startTestLlm()
    expect(() => llm.registerAdapter(hostileArray, adapter())).toThrow()
    expect(ids(llm)).toEqual([])
  })

  it('refuses a route that has an owner, names that one, and takes none of the others', async () => {
    const { llm, ctx } = await startTestLlm()
    ctx.plugin({
      name: 'first',
      inject: ['llm'],
      apply: (plugin) => void plugin.llm.registerAdapter(['p'], adapter()),
    })
    const updates = countUpdates(ctx)
    expect(() => llm.registerAdapter(['q', 'p'], adapter())).toThrow(
      expect.objectContaining({
        code: 'DUPLICATE_ADAPTER',
        message: expect.stringContaining('plugin "first"'),
      }),
    )
    expect([ids(llm), updates.count]).toEqual([['p'], 0])
  })

  it('takes one instance for several registrations', async () => {
    const { llm } = await startTestLlm()
    const shared = adapter()
    const first = llm.registerAdapter(['p'], shared)
    llm.registerAdapter(['q'], shared)
    await first()
    expect(summary(await read(llm.stream(ask({ provider: 'q' }))))).toBe('stop')
    expect(summary(await read(llm.stream(ask({ provider: 'p' }))))).toBe('error NO_ADAPTER')
  })

  it('is an effect of the calling plugin', async () => {
    const { llm, own } = await startTestLlm()
    const fiber = own('plugin', ['p'], adapter())
    await fiber
    expect(ids(llm)).toEqual(['p'])
    await fiber.dispose()
    expect(ids(llm)).toEqual([])
  })

  it('is refused while the plugin unloads', async () => {
    const { ctx } = await startTestLlm()
    let inner: Context | undefined
    const fiber = ctx.plugin({ name: 'plugin', inject: ['llm'], apply: (plugin) => void (inner = plugin) })
    await fiber
    const llm = inner?.llm
    await fiber.dispose()
    expect(() => llm?.registerAdapter(['p'], adapter())).toThrow(
      expect.objectContaining({ code: 'CONTEXT_DISPOSED' }),
    )
    expect(ids(ctx.llm)).toEqual([])
  })

  it('tells of every commit once, of a refusal never', async () => {
    const { llm, ctx } = await startTestLlm()
    const updates = countUpdates(ctx)
    const handle = llm.registerAdapter(['p'], adapter())
    handle.replace(['q'])
    expect(() => handle.replace([''])).toThrow()
    await handle()
    await handle()
    expect(updates.count).toBe(3)
  })
})

describe('AdapterRegistrationHandle.replace (L1)', () => {
  async function start(): Promise<{ llm: LlmRuntime; ctx: Context; handle: AdapterRegistrationHandle }> {
    const { llm, ctx } = await startTestLlm()
    llm.registerAdapter(['other'], adapter())
    return { llm, ctx, handle: llm.registerAdapter(['a', 'b'], adapter()) }
  }

  it('exchanges the routes, keeping the place of those that stay', async () => {
    const { llm, handle } = await start()
    handle.replace(['c', 'b'])
    expect(ids(llm)).toEqual(['other', 'b', 'c'])
  })

  it('may leave none, and take some again', async () => {
    const { llm, handle } = await start()
    handle.replace([])
    expect(ids(llm)).toEqual(['other'])
    handle.replace(['a'])
    expect(ids(llm)).toEqual(['other', 'a'])
  })

  it.each([
    ['a route of another', ['c', 'other'], 'DUPLICATE_ADAPTER'],
    ['the same route twice', ['c', 'c'], 'INVALID_ADAPTER'],
    ['a blank route', ['c', ''], 'INVALID_ADAPTER'],
  ])('with %s changes nothing', async (_what, providers, code) => {
    const { llm, ctx, handle } = await start()
    const updates = countUpdates(ctx)
    expect(() => handle.replace(providers)).toThrow(expect.objectContaining({ code }))
    expect([ids(llm), updates.count]).toEqual([['other', 'a', 'b'], 0])
  })

  it('throws REGISTRATION_DISPOSED afterwards, also after the plugin has gone', async () => {
    const { ctx, llm, handle } = await start()
    await handle()
    expect(() => handle.replace(['a'])).toThrow(expect.objectContaining({ code: 'REGISTRATION_DISPOSED' }))
    let kept: AdapterRegistrationHandle | undefined
    const fiber = ctx.plugin({
      name: 'plugin',
      inject: ['llm'],
      apply: (plugin) => void (kept = plugin.llm.registerAdapter(['p'], adapter())),
    })
    await fiber.dispose()
    expect(() => kept?.replace(['p'])).toThrow(expect.objectContaining({ code: 'REGISTRATION_DISPOSED' }))
    expect(ids(llm)).toEqual(['other'])
  })

  it('keeps a running call of a route that it gave away', async () => {
    const { llm, handle } = await start()
    const iterator = llm.stream(ask({ provider: 'a' }))[Symbol.asyncIterator]()
    await iterator.next()
    handle.replace([])
    const types: unknown[] = []
    for (let result = await iterator.next(); !result.done; result = await iterator.next())
      types.push(result.value.type)
    expect(types).toEqual(['text-delta', 'block-end', 'finish'])
  })
})
