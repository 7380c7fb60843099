import type { ToolCallBlock } from 'dsh-llm'
import { listDirectory } from './list-directory.ts'
import { readTextFile } from './read-text-file.ts'
import { type Tool, ToolError, type ToolInput } from './tool.ts'
import { quote, type Workspace } from './workspace.ts'

/** The tools of the program, in the order the model sees them. */
export const builtInTools: readonly Tool[] = [listDirectory, readTextFile]

/** What a call came to, as text for the model. */
export interface ToolOutcome {
  readonly content: string
  readonly isError: boolean
}

/** Runs one call. Never rejects: whatever goes wrong is a result that the model can read and correct. */
export async function runTool(
  call: Pick<ToolCallBlock, 'name' | 'arguments'>,
  workspace: Workspace,
): Promise<ToolOutcome> {
  try {
    const content = await findTool(call.name).run(parseArguments(call.arguments), workspace)
    return { content, isError: false }
  } catch (error) {
    // Anything else is a bug or an odd system error; the model may still go on without this tool.
    if (error instanceof ToolError) return { content: error.message, isError: true }
    return { content: `The tool ${quote(call.name)} failed: ${String(error)}`, isError: true }
  }
}

/** The names are told, so that the model can correct itself. */
function findTool(name: string): Tool {
  const tool = builtInTools.find(({ schema }) => schema.name === name)
  if (tool !== undefined) return tool
  const names = builtInTools.map(({ schema }) => schema.name).join(', ')
  throw new ToolError(`There is no tool ${quote(name)}, the tools are: ${names}`)
}

/** Blank arguments stand for none, as some models write them (R11 leaves the text to us). */
function parseArguments(text: string): ToolInput {
  const value = text.trim() === '' ? {} : parseJson(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw new ToolError('The arguments are no JSON object, give one such as {"path": "."}')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ToolError('The arguments are not valid JSON, give an object such as {"path": "."}')
  }
}
