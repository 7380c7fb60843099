import type { JsonObject } from 'dsh-llm'
import { ToolError, type ToolInput } from './tool.ts'

/** JSON Schema of the one argument that both tools take. */
export function pathParameters(description: string): JsonObject {
  return {
    type: 'object',
    properties: { path: { type: 'string', description } },
    required: ['path'],
    additionalProperties: false,
  }
}

/** The `path` argument; anything else than a text is refused in words for the model. */
export function parsePath(input: ToolInput): string {
  const { path } = input
  if (typeof path !== 'string' || path === '') {
    throw new ToolError(
      'The argument "path" must be a non-empty string, give a path such as "." or "docs/index.md"',
    )
  }
  return path
}
