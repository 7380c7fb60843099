import { getEventListeners, setMaxListeners } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import {
  type Clock,
  type CollectedAnswer,
  createLlm,
  createUserMessage,
  type Llm,
  systemClock,
  use,
} from 'dsh-llm'
import openaiCompatible, { type ProviderConfig } from 'dsh-llm-openai-compatible'
import retry, { DEFAULT_RETRY_POLICY } from 'dsh-llm-retry'
import route from 'dsh-llm-route'
import { type Answer, type ProviderServer, type ReceivedRequest, startProviderServer } from 'dsh-llm-testkit'
import { reportLine } from '../report.ts'
import { answerTo, toComparable } from './answers.ts'
import { faults } from './faults.ts'
import { faultOf, forecast, MAX_ATTEMPTS, type RouteName } from './forecast.ts'

const CALLS = 1_000
const AT_ONCE = 50
/** How long silence is borne. */
const PATIENCE_MS = 1_000

/** A thousand calls, fifty at a time, to a server that fails three times of ten in every way there is. */
export async function drillFaults(until: 'first-content' | 'finish'): Promise<void> {
  process.stdout.write(`\n${CALLS} calls, ${AT_ONCE} at once, 30 % of all requests fail; until: ${until}\n`)
  const tally = new FaultTally()
  const clock = new CountingClock()
  const { signal } = new AbortController()
  setMaxListeners(0, signal)
  await using server = await startProviderServer({ script: (request) => tally.answer(request) })
  const host = await createStack(server, clock, until)
  const outcomes: Outcome[] = []
  let next = 0
  const work = async (): Promise<void> => {
    for (let call = next++; call < CALLS; call = next++) outcomes.push(await ask(host, call, signal))
  }
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  const tookMs = performance.now() - startedAt
  await host.dispose()
  reportOutcomes(outcomes, tally, until)
  await reportLeaks(server, clock, signal)
  reportLine('time', `${(tookMs / 1_000).toFixed(1)} s`)
}

/** Decides over each request and remembers how often what happened. */
class FaultTally {
  /** Requests by call, and by call and route. */
  readonly requests = new Map<string, number>()
  readonly faults = new Map<string, number>()

  answer({ headers, path }: ReceivedRequest): Answer {
    const call = Number(headers['x-drill-call'])
    const name: RouteName = path.startsWith('/main') ? 'main' : 'spare'
    count(this.requests, `${call}`)
    const attempt = count(this.requests, `${call} ${name}`)
    const fault = faultOf({ call, route: name, attempt })
    const { frames } = answerTo(call)
    if (fault === undefined) return { chunks: frames }
    count(this.faults, fault.name)
    return fault.answer(frames)
  }
}

interface Outcome extends Pick<CollectedAnswer, 'finish' | 'text'> {
  readonly call: number
  readonly finishes: number
  readonly attempts: number
  readonly content: string
}

async function ask({ llm }: Llm, call: number, signal: AbortSignal): Promise<Outcome> {
  let finishes = 0
  const headers = { 'x-drill-call': `${call}` }
  const request = { provider: 'main', model: 'm', messages: [createUserMessage('Go')], headers, signal }
  const answer = await llm.generate(request, ({ type }) => void (finishes += type === 'finish' ? 1 : 0))
  const { finish, message, attempts, text } = answer
  const content = toComparable(message?.content ?? [])
  return { call, finishes, finish, attempts: attempts.length + 1, content, text }
}

function createStack(server: ProviderServer, clock: Clock, until: 'first-content' | 'finish'): Promise<Llm> {
  const limits = { firstContentMs: PATIENCE_MS, idleBytesMs: PATIENCE_MS, idleContentMs: PATIENCE_MS }
  const toProvider = (name: RouteName): ProviderConfig => ({
    baseURL: `${server.url}/${name}`,
    apiKey: 'none',
    limits,
  })
  const providers = { main: toProvider('main'), spare: toProvider('spare') }
  const on = [...DEFAULT_RETRY_POLICY.codes, 'AUTH', 'CONTEXT_WINDOW_EXCEEDED']
  const to = [{ provider: 'spare', model: 'm' }]
  return createLlm({
    plugins: [
      use(openaiCompatible, { providers }),
      use(retry, { until, maxAttempts: MAX_ATTEMPTS, initialDelayMs: 5, maxDelayMs: 50 }),
      use(route, { until, fallbacks: [{ from: { provider: 'main' }, on, to }] }),
    ],
    runtime: { clock },
  })
}

function reportOutcomes(
  outcomes: readonly Outcome[],
  tally: FaultTally,
  until: 'first-content' | 'finish',
): void {
  const answered = outcomes.filter(({ finish }) => finish.failure === undefined)
  const failed = outcomes.filter(({ finish }) => finish.failure !== undefined)
  const requests = outcomes.reduce((sum, { attempts }) => sum + attempts, 0)
  const inexact = answered.filter(({ call, content }) => content !== answerTo(call).content)
  const noPrefix = failed.filter(({ call, text }) => !answerTo(call).text.startsWith(text))
  const unlike = outcomes.filter(({ call, finish, attempts }) => {
    const { isAnswered, requests: allowed } = forecast(call, until)
    return isAnswered !== (finish.failure === undefined) || attempts !== allowed
  })
  const uncounted = outcomes.filter(({ call, attempts }) => tally.requests.get(`${call}`) !== attempts)
  const missing = faults.filter(({ name }) => !tally.faults.has(name))
  const failures = [...tally.faults.values()].reduce((sum, times) => sum + times, 0)
  reportLine('requests, failed ones', `${requests}, ${failures} in ${tally.faults.size} ways`)
  reportLine('calls answered, ended with a failure', `${answered.length}, ${failed.length}`)
  reportZero('calls without exactly one finish', outcomes.filter(({ finishes }) => finishes !== 1).length)
  reportZero('calls that never ended', CALLS - outcomes.length)
  reportZero('answers that are not exact', inexact.length)
  reportZero('failed calls whose text is no beginning of the answer', noPrefix.length)
  reportZero('calls with more or fewer attempts than foreseen', unlike.length)
  reportZero('calls whose attempts the server counts otherwise', uncounted.length)
  reportZero('ways to fail that never came up', missing.length)
}

async function reportLeaks(server: ProviderServer, clock: CountingClock, signal: AbortSignal): Promise<void> {
  const countOpen = (): number => server.requests.filter(({ state }) => state !== 'ended').length
  // The runtime is gone, so what lasts has been forgotten; the ends of the last exchanges may be on their way.
  const deadline = performance.now() + PATIENCE_MS
  while (countOpen() + clock.pending > 0 && performance.now() < deadline) await setTimeout(10)
  reportZero('exchanges still open', countOpen())
  reportZero('timers still set', clock.pending)
  reportZero('listeners left on the signal of all calls', getEventListeners(signal, 'abort').length)
}

function reportZero(name: string, value: number): void {
  reportLine(name, `${value}${value === 0 ? '' : '   MISSED'}`)
}

function count(counts: Map<string, number>, key: string): number {
  const next = (counts.get(key) ?? 0) + 1
  counts.set(key, next)
  return next
}

/** The platform's clock, knowing what it still has to do. */
class CountingClock implements Clock {
  pending = 0
  readonly now = systemClock.now

  schedule(callback: () => void, delayMs: number): () => void {
    let isPending = true
    this.pending += 1
    const settle = (): void => {
      if (isPending) this.pending -= 1
      isPending = false
    }
    const cancel = systemClock.schedule(() => {
      settle()
      callback()
    }, delayMs)
    return () => {
      settle()
      cancel()
    }
  }
}
