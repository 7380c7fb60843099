import { type Context, Service, type Waterfall } from 'dsh-context'

declare module 'dsh-context' {
  interface Context {
    fixtureCounter: CounterService
    fixtureOther: OtherService
  }
  interface Events {
    'fixture/sum': Waterfall<[value: number], number>
    'fixture/later': Waterfall<[value: number], Promise<number>>
    'fixture/told': (text: string) => void
  }
}

/** A service with a collaborator for its state and a method that registers for the caller. */
export class CounterService extends Service {
  static readonly provides = 'fixtureCounter'
  readonly names: Set<string> = new Set()

  constructor(ctx: Context) {
    super(ctx, 'fixtureCounter')
  }

  /** Adds a name for as long as the calling plugin lives. */
  register(name: string): void {
    this.ctx.effect(() => {
      this.names.add(name)
      return () => {
        this.names.delete(name)
      }
    })
  }
}

export class OtherService extends Service {
  constructor(ctx: Context) {
    super(ctx, 'fixtureOther')
  }
}

/** Collects what `internal/error` hears, as `[plugin, error]` pairs. */
export function listenToErrors(ctx: Context): [plugin: string, error: unknown][] {
  const heard: [string, unknown][] = []
  ctx.on('internal/error', (error, origin) => void heard.push([origin.plugin, error]))
  return heard
}

/** A promise that the test settles by hand. */
export function createGate(): PromiseWithResolvers<void> {
  return Promise.withResolvers<void>()
}

/** Lets everything that is ready run; waits for no clock. */
export async function drainMicrotasks(): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) await Promise.resolve()
}
