import { isLlmError } from 'dsh-llm'
import { RecordingFile } from '../../src/file/recording-file.ts'

/** Writes three calls, of which the second is larger than the room there is, and prints what came of each. */
const [, , path = ''] = process.argv
const file = RecordingFile.create(path)
const outcomes = [1, 600, 1].map((length, index) => {
  const request = { provider: 'p', model: 'm', messages: [], system: 'x'.repeat(length) }
  try {
    file.append({ fingerprint: 'f', session: 0, call: index + 1, request, chunks: [], outcome: 'left' })
    return 'written'
  } catch (error) {
    return isLlmError(error) ? error.code : String(error)
  }
})
file.close()
process.stdout.write(outcomes.join(' '))
