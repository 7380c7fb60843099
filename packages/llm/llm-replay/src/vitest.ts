import { fileURLToPath } from 'node:url'
import type { PluginObject } from 'dsh-context'
import { isLlmError, LlmError, type PluginUse, use } from 'dsh-llm'
import { afterEach, expect } from 'vitest'
import type { ReplayConfig, ReplayMode } from './config.ts'
import replay from './index.ts'
import { LlmReplay } from './llm-replay.ts'
import { assertSound } from './test-verdict.ts'

/** What a test file needs of its recording. */
export interface TestRecording {
  /** For `createLlm({ plugins })`, in one host of each test; a second host is `INVALID_CONFIG`. */
  readonly plugin: PluginUse
  readonly mode: ReplayMode
}

/** Config of a recording in a test; where it is and what is done with it is decided for it. */
export interface RecordingOptions extends Omit<ReplayConfig, 'mode' | 'file'> {
  /** For tests that provoke misses: they fail the test otherwise, also where it swallows the failure. */
  readonly allowsMisses?: boolean | undefined
}

/**
 * The recording `recordings/<name>.jsonl` beside a test file; call it at the top of the file or in a `describe`, with
 * one name for each test. `DSH_RECORD=missing|all|off` says what is done with it, and without that it is replayed, in CI
 * and elsewhere: no test asks a provider unless somebody says so. After each test a miss fails it, telling what drifted;
 * a test that passed fails for what was never used or could not be written. Not for concurrent tests.
 */
export function useRecording(url: string, name: string, options: RecordingOptions = {}): TestRecording {
  const { allowsMisses = false, ...config } = options
  const mode = modeOf(process.env['DSH_RECORD'])
  const file = placeOf(url, name)
  const loaded: LlmReplay[] = []
  const plugin: PluginObject<ReplayConfig> = {
    ...replay,
    apply(ctx, given) {
      if (loaded.length > 0)
        throw refused(`"${name}" is used by two hosts of one test; give each a recording of its own`)
      loaded.push(withAdvice(() => new LlmReplay(ctx, given)))
    },
  }
  afterEach(({ task }) => {
    const [recording] = loaded.splice(0)
    if (recording === undefined) return
    if (task.concurrent === true)
      throw refused(`"${name}" stands in concurrent tests, which nobody can tell apart; run them in sequence`)
    assertSound(recording, { hasFailed: task.result?.state === 'fail', allowsMisses })
  })
  return { plugin: use(plugin, { ...config, mode, file }), mode }
}

/** Within a test nothing would run after it. */
function placeOf(url: string, name: string): string {
  if (expect.getState().currentTestName !== undefined)
    throw refused(`"${name}" begins within a test; call useRecording at the top of the file or in a describe`)
  if (!url.startsWith('file:')) throw refused(`"${name}" stands beside no file; give import.meta.url`)
  if (!/^[\w.-]*\w$/.test(name)) throw refused(`"${name}" is no name of a file; use letters, digits, . _ and -`)
  return fileURLToPath(new URL(`recordings/${name}.jsonl`, url))
}

/** The first thing a test of somebody else's says is that there is no recording. */
function withAdvice(load: () => LlmReplay): LlmReplay {
  try {
    return load()
  } catch (error) {
    if (!isLlmError(error)) throw error
    throw new LlmError(`${error.message} (DSH_RECORD=missing records in tests)`, error.code, { cause: error })
  }
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
      throw refused(`DSH_RECORD is "${wish}" and must be missing, all or off; unset it to replay`)
  }
}

function refused(why: string): LlmError {
  return new LlmError(`Could not use a recording in a test: ${why}`, 'INVALID_CONFIG')
}
