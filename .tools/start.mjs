// `npm start`: installs, then runs the terminal program from its sources.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { environment, install, node, root } from './install.mjs'

install()
const main = path.join(root, 'packages/llm/llm-cli/src/main.ts')
const child = spawn(node, ['--conditions=dsh-source', main, 'chat', ...withQuestion(process.argv.slice(2))], {
  stdio: 'inherit',
  env: environment(),
})
// npm passes Ctrl-C on to this process as well; the program decides what it means, so it must not end us.
process.on('SIGINT', () => {})
child.on('exit', (code, signal) => {
  process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1)
})

function withQuestion(args) {
  return args.length > 0 ? args : ['What is in this folder? List it, then describe it in one sentence.']
}
