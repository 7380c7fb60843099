/** The command line asks for something that cannot be done; its text is shown and the exit code is 2. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError'
}
