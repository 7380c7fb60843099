import type { ToolChoice } from 'dsh-llm'
import { isThinking } from '../effort.ts'
import type { Ask } from '../protocol.ts'

/** What Claude does not take beside thinking, on whichever API; nothing where nothing of it is asked. */
export function findThinkingConflict(ask: Ask): string | undefined {
  if (!isThinking(ask)) return undefined
  if (ask.request.temperature !== undefined) return 'temperature does not go with thinking on this API'
  const isForced = ask.toolChoice === 'required' || typeof ask.toolChoice === 'object'
  return isForced ? 'a forced toolChoice does not go with thinking on this API' : undefined
}

/** The words of Claude for a choice of tools, on whichever API. */
export function toClaudeChoice(choice: ToolChoice): unknown {
  if (choice === 'required') return 'any'
  return typeof choice === 'string' ? choice : { type: 'tool', name: choice.name }
}
