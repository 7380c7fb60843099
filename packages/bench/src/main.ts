import { parseArgs } from 'node:util'
import { benchContext } from './core/context.ts'
import { benchConversation } from './core/conversation.ts'
import { benchStream } from './core/stream.ts'

const suites: Readonly<Record<string, readonly (() => Promise<void>)[]>> = {
  core: [benchStream, benchConversation, benchContext],
}

const { positionals } = parseArgs({ allowPositionals: true })
const names = positionals.length > 0 ? positionals : Object.keys(suites)
for (const name of names) {
  const suite = suites[name]
  if (suite === undefined) {
    process.stderr.write(`There is no benchmark "${name}"; choose from ${Object.keys(suites).join(', ')}\n`)
    process.exitCode = 2
    break
  }
  for (const bench of suite) await bench()
}
