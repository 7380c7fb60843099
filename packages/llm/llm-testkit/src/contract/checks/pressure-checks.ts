import type { ReceivedRequest } from '../../server/received-request.ts'
import type { CheckDefinition } from '../contract-check.ts'
import { must } from '../contract-rules.ts'
import { turns } from '../turns.ts'

const pieceBytes = 64 * 1024
// Together less than what an adapter takes for one event, since some wires repeat a whole text in their last.
const pieceCount = 192
const quietTurns = 100

/** A reader slower than the provider: what it does not read must wait on the other side. What it may have comes at once. */
export const pressureChecks: readonly CheckDefinition[] = [
  {
    name: 'finishes at the end marker, though the connection stays open',
    rule: 'A5',
    onWire: true,
    needs: ['end-marker'],
    async run(stage) {
      const run = stage.start(await stage.serve([{ ...stage.wire.render({ text: 'Hi' }), end: 'hang' }]))
      await stage.within(run.toEnd(), 'A5', 'an answer whose end marker has arrived did not finish')
      must(run.reason?.kind === 'stop', 'A5', () => `a whole answer ended with ${run.describeEnd()}`)
    },
  },
  {
    name: 'reads no further than its reader while that one pauses',
    rule: 'A5',
    onWire: true,
    async run(stage) {
      const piece = 'x'.repeat(pieceBytes)
      const adapter = await stage.play([{ text: Array<string>(pieceCount).fill(piece) }])
      const run = stage.start(adapter)
      await stage.within(run.toText(), 'A5', 'text that has arrived was not given out')
      const [request] = stage.requests
      must(request !== undefined, 'A1', () => 'text came without a request')
      const isHeld = await stage.within(isStuck(request), 'A5', 'the provider went on writing and did not end')
      must(isHeld, 'A5', () => `all ${pieceCount * pieceBytes} bytes were read while the reader paused`)
      await stage.within(run.toEnd(), 'A2', 'a run whose reader had paused did not end')
      must(
        run.reason?.kind === 'stop',
        'A5',
        () => `a run whose reader had paused ended with ${run.describeEnd()}`,
      )
      must(
        run.text.length === pieceCount * pieceBytes,
        'A5',
        () => `${run.text.length} characters came of ${pieceCount * pieceBytes}`,
      )
    },
  },
]

/** Whether the server is held up for good; false as soon as it has written everything. */
async function isStuck(request: ReceivedRequest): Promise<boolean> {
  let written = -1
  for (let quiet = 0; quiet < quietTurns; quiet += 1) {
    await turns(1)
    if (request.state === 'ended') return false
    if (request.paused && request.bytesWritten === written) continue
    written = request.bytesWritten
    quiet = 0
  }
  return true
}
