import { fileURLToPath } from 'node:url'
import type { PluginObject } from 'dsh-context'
import { LlmError, type PluginUse, use } from 'dsh-llm'
import { afterEach } from 'vitest'
import { configSchema, type ReplayConfig, type ReplayMode } from './config.ts'
import { LlmReplay } from './llm-replay.ts'

/** What a test file needs of its recording. */
export interface TestRecording {
  /** For `createLlm({ plugins })`, in one host of each test. */
  readonly plugin: PluginUse
  readonly mode: ReplayMode
}

/** Config of a recording in a test; where it is and what is done with it is decided for it. */
export type RecordingOptions = Omit<ReplayConfig, 'mode' | 'file'>

/**
 * The recording `recordings/<name>.jsonl` beside a test file; call it at the top of the file or in a `describe`, with
 * one name for each test. `DSH_RECORD=missing|all|off` says what is done with it, and without that it is replayed, in CI
 * and elsewhere: no test asks a provider unless somebody says so. After each test that passed, what was never used, or
 * could not be written, fails it.
 */
export function useRecording(url: string, name: string, options: RecordingOptions = {}): TestRecording {
  const mode = modeOf(process.env['DSH_RECORD'])
  const file = fileURLToPath(new URL(`recordings/${encodeURIComponent(name)}.jsonl`, url))
  const loaded: LlmReplay[] = []
  const plugin: PluginObject<ReplayConfig> = {
    name: 'replay',
    inject: ['llm'],
    Config: configSchema,
    apply: (ctx, config) => void loaded.push(new LlmReplay(ctx, config)),
  }
  afterEach(({ task }) => {
    const finished = loaded.splice(0)
    // A test that failed has said what matters.
    if (task.result?.state !== 'fail') for (const replay of finished) assertSound(replay)
  })
  return { plugin: use(plugin, { ...options, mode, file }), mode }
}

/** What was not written would be missed in the next run only, by somebody else. */
function assertSound(replay: LlmReplay): void {
  replay.assertConsumed()
  const { dropped, file } = replay.report()
  const [reason] = dropped
  if (reason === undefined) return
  throw new LlmError(
    `Could not write ${dropped.length} of the calls to the recording ${file}: ${reason}`,
    'INVALID_RECORDING',
  )
}

function modeOf(wish: string | undefined): ReplayMode {
  switch (wish) {
    case undefined:
    case '':
      return 'replay'
    case 'missing':
      return 'auto'
    case 'all':
      return 'record'
    case 'off':
      return 'off'
    default:
      throw new RangeError(`DSH_RECORD is "${wish}" and must be missing, all or off; unset it to replay`)
  }
}
