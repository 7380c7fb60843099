export type { CliHost, CliInput, CliOutput, InterruptSource } from './cli-host.ts'
export { ExitCode } from './exit-code.ts'
export { runCli } from './run-cli.ts'
