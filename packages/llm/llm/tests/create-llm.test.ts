import type { Context } from 'dsh-context'
import { Service } from 'dsh-context'
import { describe, expect, it, vi } from 'vitest'
import { createLlm, LlmRuntime, use } from '../src/index.ts'
import { says, stream } from './support/chunks.ts'
import { FakeClock } from './support/fake-clock.ts'
import { FunctionAdapter } from './support/function-adapter.ts'
import { ask } from './support/test-llm.ts'

declare module 'dsh-context' {
  interface Context {
    fixtureStore: FixtureStore
  }
}

class FixtureStore extends Service {
  static readonly provides = 'fixtureStore'

  constructor(ctx: Context) {
    super(ctx, 'fixtureStore')
  }

  /** Comes late, so that what needs it must wait. */
  override async start(): Promise<void> {
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve()
  }
}

const provider = {
  name: 'provider',
  inject: ['llm'],
  apply(ctx: Context, config: { route: string }): void {
    ctx.llm.registerAdapter([config.route], new FunctionAdapter(() => stream(...says('hello'))))
  },
}

describe('createLlm (L12)', () => {
  it('loads the runtime and the plugins with their configs', async () => {
    const { llm, ctx, dispose } = await createLlm({ plugins: [use(provider, { route: 'p' })] })
    expect(llm).toBeInstanceOf(LlmRuntime)
    expect(ctx.llm).toBe(llm)
    expect((await llm.generate(ask())).text).toBe('hello')
    await dispose()
    expect(ctx.get('llm')).toBeUndefined()
  })

  it('needs nothing', async () => {
    await using made = await createLlm()
    expect(made.llm.listProviders()).toEqual([])
  })

  it('hands the runtime its config', async () => {
    const clock = new FakeClock()
    await using made = await createLlm({ runtime: { clock, drainMs: 7 } })
    expect([made.llm.clock, made.llm.drainMs]).toEqual([clock, 7])
  })

  it('takes a plugin without config as it is, also one with a method called load', async () => {
    const loaded: string[] = []
    const plugin = {
      name: 'plain',
      apply: (): void => void loaded.push('applied'),
      load: (): void => void loaded.push('load'),
    }
    await using made = await createLlm({
      plugins: [
        plugin,
        function fn() {
          loaded.push('function')
        },
      ],
    })
    expect([loaded, made.ctx.owner]).toEqual([['applied', 'function'], 'root'])
  })

  it('rejects with what a plugin failed with, and disposes of the others', async () => {
    const undone: string[] = []
    const first = {
      name: 'first',
      apply: (ctx: Context): void => void ctx.effect(() => () => void undone.push('first')),
    }
    const error = new Error('cannot load')
    const failing = {
      name: 'failing',
      apply: async (): Promise<void> => {
        throw error
      },
    }
    await expect(createLlm({ plugins: [first, quiet, failing] })).rejects.toBe(error)
    expect(undone).toEqual(['first'])
  })

  it('rejects with that also when the undoing fails too', async () => {
    const error = new Error('cannot load')
    const untidy = {
      name: 'untidy',
      apply: (ctx: Context): void =>
        void ctx.effect(() => () => {
          throw new Error('cannot undo')
        }),
    }
    const failing = {
      name: 'failing',
      apply: (): void => {
        throw error
      },
    }
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
    await expect(createLlm({ plugins: [quiet, untidy, failing] })).rejects.toBe(error)
    // By then nobody listens to `internal/error` any more.
    expect(printed.mock.calls.map(([, failure]) => failure)).toEqual([expect.any(AggregateError)])
    printed.mockRestore()
  })

  it('rejects with SERVICE_NOT_FOUND for a plugin that still waits, naming both', async () => {
    const waiting = { name: 'waiting', inject: ['fixtureStore'], apply(): void {} }
    await expect(createLlm({ plugins: [waiting] })).rejects.toMatchObject({
      code: 'SERVICE_NOT_FOUND',
      message: expect.stringContaining('Plugin "waiting" still waits for fixtureStore'),
    })
  })

  it('waits for a plugin whose service comes later', async () => {
    const started: string[] = []
    const needy = {
      name: 'needy',
      inject: ['fixtureStore'],
      apply: async (): Promise<void> => {
        await Promise.resolve()
        started.push('needy')
      },
    }
    await using made = await createLlm({ plugins: [needy, FixtureStore] })
    expect([started, made.ctx.fixtureStore]).toEqual([['needy'], expect.any(FixtureStore)])
  })

  it('rejects for a plugin that fails once its service has come', async () => {
    const error = new Error('too late')
    const needy = {
      name: 'needy',
      inject: ['fixtureStore'],
      apply: async (): Promise<void> => {
        await Promise.resolve()
        throw error
      },
    }
    await expect(createLlm({ plugins: [quiet, needy, FixtureStore] })).rejects.toBe(error)
  })

  it('rejects with INVALID_CONFIG for what is no plugin', async () => {
    const nothing = {} as typeof quiet
    await expect(createLlm({ plugins: [nothing] })).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  })
})

/** Keeps what fails on purpose off the console. */
const quiet = { name: 'quiet', apply: (ctx: Context): void => void ctx.on('internal/error', () => {}) }
