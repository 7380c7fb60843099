import type { ToolSchema } from 'dsh-llm'
import type { Workspace } from './workspace.ts'

/** A tool the model may call. Its result is text for the model. */
export interface Tool {
  readonly schema: ToolSchema
  /** Does the work below `workspace`. What cannot be done is a `ToolError` whose text the model can act on. */
  run(input: ToolInput, workspace: Workspace): Promise<string>
}

/** The arguments as the model gave them: an object, and nothing more is known. */
export type ToolInput = Readonly<Record<string, unknown>>

/** What a tool could not do, told to the model; everything else that is thrown is a bug or an odd system error. */
export class ToolError extends Error {
  override readonly name: string = 'ToolError'
}
