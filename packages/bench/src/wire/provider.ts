import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The provider in its own process. */
export interface Provider {
  /** Base URL of one workload. */
  urlOf(workload: string): string
  /** The server's next report of a closed connection, in nanoseconds of the machine's monotonic clock. */
  nextClose(): Promise<bigint>
  stop(): void
}

export async function startProvider(): Promise<Provider> {
  const child = fork(fileURLToPath(new URL('server.ts', import.meta.url)), { execArgv: [] })
  const { port } = await nextMessage(child)
  return {
    urlOf: (workload) => `http://127.0.0.1:${port}/${workload}/v1`,
    nextClose: async () => BigInt((await nextMessage(child)).closedAt ?? 0),
    stop: () => void child.kill(),
  }
}

interface Report {
  readonly port?: number
  readonly closedAt?: string
}

async function nextMessage(child: ChildProcess): Promise<Report> {
  const [report] = await once(child, 'message')
  return report as Report
}
