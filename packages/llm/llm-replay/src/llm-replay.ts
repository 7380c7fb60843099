import { resolve } from 'node:path'
import { type Context, Service } from 'dsh-context'
import { type GenerateOptions, type JsonObject, type StreamChunk, StreamPriority } from 'dsh-llm'
import type { ReplayConfig } from './config.ts'
import { RecordingFile } from './file/recording-file.ts'
import { loadEntries } from './match/load-entries.ts'
import type { CallEntry } from './match/call-entry.ts'
import { FingerprintMatcher, type Matcher, SessionMatcher } from './match/matcher.ts'
import { RequestKeys } from './match/request-key.ts'
import { SessionNumbers } from './match/session-numbers.ts'
import { Player } from './player.ts'
import { Recorder } from './recorder.ts'
import { Redactor } from './redact/redactor.ts'
import { ReplayAdapter, standIn } from './replay-adapter.ts'
import { ReplayLog, type ReplayReport } from './replay-report.ts'

declare module 'dsh-context' {
  interface Context {
    /** What is recorded or replayed; there once the plugin `replay` is loaded. */
    readonly llmReplay: LlmReplay
  }
}

/** The service `ctx.llmReplay`: a listener of `llm/stream`, innermost, that writes runs of adapters down or plays them. */
export class LlmReplay extends Service {
  static readonly provides = 'llmReplay'

  /** For the package itself; no private field, since a service is reached through a proxy. */
  readonly log: ReplayLog

  /** Throws `INVALID_RECORDING` for a file that cannot be used. */
  constructor(ctx: Context, config: ReplayConfig) {
    super(ctx, 'llmReplay')
    const path = resolve(config.file)
    this.log = new ReplayLog(config.mode, path)
    if (config.mode === 'off') return
    const file = openFile(config.mode, path)
    ctx.effect(() => () => file.close())
    listen(ctx, { config, file, log: this.log })
  }

  /** Throws `REPLAY_UNUSED` listing the recorded calls that nobody asked for, if there are any. */
  assertConsumed(): void {
    this.log.assertConsumed()
  }

  /** What came of the calls so far; a snapshot. */
  report(): ReplayReport {
    return this.log.report()
  }
}

type WorkingMode = Exclude<ReplayConfig['mode'], 'off'>

/** Opened at load, so a path that cannot be used fails the load and not a call. */
function openFile(mode: WorkingMode, path: string): RecordingFile {
  if (mode === 'record') return RecordingFile.create(path)
  return mode === 'auto' ? RecordingFile.continue(path) : RecordingFile.open(path)
}

interface Setup {
  readonly config: ReplayConfig
  readonly file: RecordingFile
  readonly log: ReplayLog
}

/** Registers the listener and, in `replay`, the stand-in. */
function listen(ctx: Context, { config, file, log }: Setup): void {
  const { mode, ignore, match = 'session', pacing = 'none', clock = ctx.llm.clock } = config
  const redactor = new Redactor(config.redact)
  const keys = new RequestKeys(redactor, ignore)
  const sessions = new SessionNumbers()
  const reportError = (error: unknown): void => ctx.reportError(error, 'replay')
  const recorder = new Recorder({
    file,
    keys,
    redactor,
    sessions,
    clock,
    log,
    reportError,
    fillsGaps: mode === 'auto',
  })
  const options = { priority: StreamPriority.record }
  if (mode === 'record') {
    ctx.on('llm/stream', (request, next) => recorder.record(request, next()), options)
    return
  }
  const { entries, torn } = loadEntries(file, keys, sessions)
  log.loaded(entries, torn?.line)
  if (torn !== undefined) reportError(torn.error)
  const readRequest = (entry: CallEntry): JsonObject => keys.ofRecorded(file.read(entry.place).request).request
  const matcher: Matcher =
    match === 'session' ? new SessionMatcher(entries) : new FingerprintMatcher(entries, readRequest)
  const player = new Player({ file, keys, sessions, matcher, readRequest, clock, pacing, log })
  if (mode === 'replay') {
    ctx.on('llm/stream', (request) => player.play(request), options)
    const routes = new Set(entries.map(({ provider }) => provider))
    standIn(ctx, routes, new ReplayAdapter(player))
    return
  }
  file.mend()
  const missingKinds = match === 'session' ? ['exhausted'] : ['exhausted', 'diverged']
  ctx.on('llm/stream', (request, next) => fill({ request, next, player, recorder, missingKinds }), options)
}

/** One call in `auto`. */
interface Filling {
  readonly request: GenerateOptions
  readonly next: () => AsyncIterable<StreamChunk>
  readonly player: Player
  readonly recorder: Recorder
  /** What kinds of answers from the recording mean that a call is to be recorded. */
  readonly missingKinds: readonly string[]
}

/** Plays what is recorded and records what is missing. */
async function* fill({ request, next, player, recorder, missingKinds }: Filling): AsyncGenerator<StreamChunk> {
  if (request.signal?.aborted === true) return yield* next()
  const found = player.find(request)
  if (found.kind !== 'failed' && missingKinds.includes(found.kind))
    yield* recorder.record(request, next(), found.key)
  else yield* player.play(request, found)
}
