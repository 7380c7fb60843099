/** What the process says to its caller when it ends. */
export const ExitCode = {
  /** The model ended its answer by itself, or the user left the conversation with end of input. */
  success: 0,
  /** A call failed, or its answer is not whole: cut at the token limit, or still asking for tools. */
  failure: 1,
  /** The command line asks for something that cannot be done. */
  usage: 2,
  /** Ctrl-C, as shells report it. */
  interrupted: 130,
} as const

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode]
