import type { StreamChunk } from 'dsh-llm'
import type { ToolOutcome } from './tools/run-tool.ts'
import type { TurnReport } from './turn-report.ts'

/** Shows a turn as it happens: chunks of each answer, results of the tools between them, and how it ended. */
export interface Renderer {
  chunk(chunk: StreamChunk): void
  /** After a tool has run; the calls of an answer come in their order. */
  toolResult(name: string, outcome: ToolOutcome): void
  /** Once, after the last chunk of the last answer. */
  turnEnd(report: TurnReport): void
}
