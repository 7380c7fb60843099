import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { collect, createLlm, createUserMessage, type GenerateOptions, type Llm, use } from 'dsh-llm'
import replay, { type ReplayConfig } from 'dsh-llm-replay'
import { ScriptedAdapter } from 'dsh-llm-testkit'
import { cpuMsSince, heapBytes } from '../measure.ts'
import { reportLine, verdict } from '../report.ts'

const SMALL = 1_000
const LARGE = 10_000
const ANSWER_BYTES = 4_000
const BOUND = 1.5
/** Kept for each call: a place, a fingerprint, numbers and names. */
const BYTES_PER_CALL = 1_500

interface Figures {
  readonly loadMs: number
  readonly matchMs: number
  readonly indexBytes: number
  readonly fileBytes: number
}

function toRequest(at: number): GenerateOptions {
  return { provider: 'bench', model: 'm', messages: [createUserMessage(`question ${at}`)] }
}

/** Records one call for real and makes the others of its line. */
async function write(file: string, calls: number): Promise<void> {
  const adapter = new ScriptedAdapter([
    { text: 'some words '.repeat(ANSWER_BYTES / 11).match(/.{1,40}/g) ?? [] },
  ])
  const source = {
    name: 'bench',
    inject: ['llm'],
    apply: (ctx: Llm['ctx']) => void ctx.llm.registerAdapter(['bench'], adapter),
  }
  await using host = await createLlm({ plugins: [source, use(replay, { mode: 'record', file })] })
  await collect(host.llm.stream(toRequest(0)))
  const [header = '', line = ''] = readFileSync(file, 'utf8').split('\n')
  const lines = Array.from({ length: calls }, (_, at) =>
    line.replace('question 0', `question ${at}`).replace('"call":1,', `"call":${at + 1},`),
  )
  writeFileSync(file, `${[header, ...lines].join('\n')}\n`)
}

async function measure(file: string, calls: number, match: ReplayConfig['match']): Promise<Figures> {
  const heapBefore = heapBytes()
  const start = process.cpuUsage()
  await using host = await createLlm({ plugins: [use(replay, { mode: 'replay', file, match })] })
  const loadMs = cpuMsSince(start)
  const indexBytes = heapBytes() - heapBefore
  const asked = process.cpuUsage()
  for (let at = 0; at < calls; at += 1) {
    const { finish } = await collect(host.llm.stream(toRequest(at)))
    if (finish.kind !== 'stop')
      throw new Error(`Call ${at + 1} ended with ${finish.failure?.message ?? finish.kind}`)
  }
  const matchMs = cpuMsSince(asked)
  host.ctx.llmReplay.assertConsumed()
  return { loadMs, matchMs, indexBytes, fileBytes: statSync(file).size }
}

/** Loads and matches recordings of two sizes: time for each call must be the same, memory that of the index. */
export async function benchReplay(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'dsh-bench-'))
  try {
    const [small, large] = [join(folder, 'small.jsonl'), join(folder, 'large.jsonl')]
    await write(small, SMALL)
    await write(large, LARGE)
    await measure(small, SMALL, 'session')
    for (const match of ['session', 'fingerprint'] as const) {
      process.stdout.write(`\nreplay of ${LARGE} calls against ${SMALL}, matched by ${match}\n`)
      const few = await measure(small, SMALL, match)
      const many = await measure(large, LARGE, match)
      print(few, many)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function print(few: Figures, many: Figures): void {
  const ratio = (name: 'loadMs' | 'matchMs'): number => many[name] / LARGE / (few[name] / SMALL)
  const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`
  const each = many.indexBytes / LARGE
  reportLine('file', mebibytes(many.fileBytes))
  for (const name of ['loadMs', 'matchMs'] as const) {
    const words = `${ratio(name).toFixed(2)} ×   (${many[name].toFixed(0)} ms CPU)   ${verdict(ratio(name), BOUND)}`
    reportLine(`${name === 'loadMs' ? 'load' : 'match and answer'}, time for each call`, words)
  }
  reportLine(
    'index in memory',
    `${mebibytes(many.indexBytes)}, ${each.toFixed(0)} bytes a call   ${verdict(Math.round(each), BYTES_PER_CALL)}`,
  )
}
