// `npm start`: installs, then runs the terminal program from its sources.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { environment, install, node, root } from './install.mjs'

install()
const main = path.join(root, 'packages/llm/llm-cli/src/main.ts')
const question = 'What is in this folder? List it, then describe it in one sentence.'
const args = ['--conditions=dsh-source', main, 'chat', '--default-prompt', question, ...process.argv.slice(2)]
const child = spawn(node, args, { stdio: 'inherit', env: environment() })
// npm passes Ctrl-C on to this process as well; the program decides what it means, so it must not end us.
process.on('SIGINT', () => {})
child.on('exit', (code, signal) => {
  process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1)
})
