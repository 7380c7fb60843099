/** One way of doing the work that a comparison is about; called many times. */
interface Contender {
  readonly name: string
  readonly run: () => Promise<void> | void
  /** What the ratio may be at most; none if the figure is for scale only. */
  readonly bound?: number | undefined
}

export interface Comparison {
  readonly title: string
  /** What everything is measured against; its ratio is 1. */
  readonly floor: Contender
  readonly contenders: readonly Contender[]
}

export interface Figure {
  readonly name: string
  /** CPU time of the median round, in milliseconds. */
  readonly cpuMs: number
  /** Median of the ratios to the floor's run of the same round. */
  readonly ratio: number
  readonly bound?: number | undefined
}

/**
 * Runs the floor and all contenders in turn, round after round, so that whatever else the machine does meets all of them
 * alike. CPU time of this process is what counts; the first rounds only warm up.
 */
export async function compare({ floor, contenders }: Comparison): Promise<readonly Figure[]> {
  const all = [floor, ...contenders]
  const times: number[][] = all.map(() => [])
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
    for (const [at, contender] of all.entries()) {
      const cpuMs = await cpuTimeOf(contender.run)
      if (round >= 0) times[at]?.push(cpuMs)
    }
  }
  const floorTimes = times[0] ?? []
  return all.map(({ name, bound }, at) => {
    const own = times[at] ?? []
    return {
      name,
      bound,
      cpuMs: median(own),
      ratio: median(own.map((time, round) => time / (floorTimes[round] ?? time))),
    }
  })
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** Odd, so that the median is a measured value. */
const ROUNDS = 9

/** By then the compiler has seen what it needs of the larger contender, too. */
const WARM_UP_ROUNDS = 4

async function cpuTimeOf(run: Contender['run']): Promise<number> {
  // Nobody pays for the young garbage of the one before. A full collection would drop compiled code together with the
  // object shapes it was made for: then this measured the compiler.
  globalThis.gc?.({ type: 'minor' })
  const before = process.cpuUsage()
  await run()
  return cpuMsSince(before)
}

/** CPU time of this process, in milliseconds. */
export function cpuMsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

/** What lives on the heap, behind a full collection. */
export function heapBytes(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
