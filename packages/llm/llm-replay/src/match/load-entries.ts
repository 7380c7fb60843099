import { LlmError } from 'dsh-llm'
import type { RecordingFile } from '../file/recording-file.ts'
import type { CallEntry } from './call-entry.ts'
import type { RequestKeys } from './request-key.ts'
import type { SessionNumbers } from './session-numbers.ts'

/** What a recording holds, answers left on the disk. */
export interface LoadedEntries {
  /** In order of the lines. */
  readonly entries: readonly CallEntry[]
  /** A last line that a crash left incomplete, and the words for it. */
  readonly torn: { readonly line: number; readonly error: LlmError } | undefined
}

/** Makes the index of a recording, one line in memory at a time; throws `INVALID_RECORDING` naming a bad line. */
export function loadEntries(file: RecordingFile, keys: RequestKeys, sessions: SessionNumbers): LoadedEntries {
  const entries: CallEntry[] = []
  const lines = new Map<string, number>()
  const tornLine = file.scan(({ session, call, request }, place) => {
    const number = `call ${call} of session ${session}`
    const twin = lines.get(number)
    if (twin !== undefined)
      throw new LlmError(`it is ${number}, as line ${twin} is; take one of them out`, 'INVALID_RECORDING')
    lines.set(number, place.line)
    const { provider, model } = request
    const { fingerprint } = keys.ofRecorded(request)
    entries.push({
      place,
      fingerprint,
      session,
      call,
      provider,
      model,
      isUsed: false,
    })
    sessions.note(session, call)
  })
  if (tornLine === undefined) return { entries, torn: undefined }
  const text = `Line ${tornLine} of the recording ${file.path} is torn, as by a crash; the rest is used, record again`
  return { entries, torn: { line: tornLine, error: new LlmError(text, 'INVALID_RECORDING') } }
}
