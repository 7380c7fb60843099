#!/usr/bin/env node
import { systemClock } from 'dsh-llm'
import { runCli } from './run-cli.ts'

keepLoopbackDirect(process.env)
const exitCode = await runCli({
  argv: process.argv.slice(2),
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  cwd: process.cwd(),
  clock: systemClock,
  signals: {
    onInterrupt(listener) {
      // With a listener the signal no longer ends the process, so a first Ctrl-C can spare the conversation.
      process.on('SIGINT', listener)
      return () => process.off('SIGINT', listener)
    },
  },
})
// A pipe may still hold what was written; and a deaf server must not keep the process after a second Ctrl-C.
process.stdout.write('', () => process.exit(exitCode))

/** The embedded provider, and servers on this machine, cannot be reached through a proxy. */
function keepLoopbackDirect(env: NodeJS.ProcessEnv): void {
  const name = env['no_proxy'] === undefined ? 'NO_PROXY' : 'no_proxy'
  env[name] = [env[name], '127.0.0.1', 'localhost'].filter(Boolean).join(',')
}
