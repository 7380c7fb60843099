import { parseArgs } from 'node:util'
import { benchContext } from './core/context.ts'
import { benchConversation } from './core/conversation.ts'
import { benchStream } from './core/stream.ts'
import { benchDrill } from './drill/drill.ts'
import { benchEncode } from './encode/encode.ts'
import { benchPiAi } from './pi-ai/pi-ai.ts'
import { benchReplay } from './replay/replay.ts'
import { benchWire } from './wire/wire.ts'

const suites: Readonly<Record<string, readonly (() => Promise<void>)[]>> = {
  core: [benchStream, benchConversation, benchContext],
  wire: [benchWire],
  encode: [benchEncode],
  drill: [benchDrill],
  replay: [benchReplay],
  'pi-ai': [benchPiAi],
}

const { positionals } = parseArgs({ allowPositionals: true })
// Further words choose within a suite.
const names = positionals.length > 0 ? positionals.slice(0, 1) : Object.keys(suites)
for (const name of names) {
  const suite = suites[name]
  if (suite === undefined) {
    process.stderr.write(`There is no benchmark "${name}"; choose from ${Object.keys(suites).join(', ')}\n`)
    process.exitCode = 2
    break
  }
  for (const bench of suite) await bench()
}
