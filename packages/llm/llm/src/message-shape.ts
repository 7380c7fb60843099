import { isPlainObject, memberPath } from './plain-data.ts'

/** What is wrong with a message: where, and what should stand there. */
export interface ShapeFault {
  readonly path: string
  readonly expected: string
}

type Fields = Readonly<Record<string, unknown>>

const roles: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant'])

/**
 * The first thing that keeps a value from being a message, or `undefined`. Looks at what every reader of a history relies
 * on; blocks and sources of other packages only need their `type` or `kind`.
 */
export function findMessageFault(value: unknown, path = ''): ShapeFault | undefined {
  if (!isPlainObject(value)) return { path, expected: 'a plain object' }
  if (!isFilled(value['id'])) return fault(path, 'id', 'a non-empty string')
  if (!roles.has(value['role'])) return fault(path, 'role', 'system, user or assistant')
  const source = value['source']
  if (!isPlainObject(source)) return fault(path, 'source', 'a plain object')
  if (!isFilled(source['kind'])) return fault(memberPath(path, 'source'), 'kind', 'a non-empty string')
  return findContentFault(value['content'], memberPath(path, 'content'))
}

function findContentFault(content: unknown, path: string): ShapeFault | undefined {
  if (!Array.isArray(content)) return { path, expected: 'an array of blocks' }
  for (let index = 0; index < content.length; index += 1) {
    const found = findBlockFault(content[index], memberPath(path, index))
    if (found !== undefined) return found
  }
  return undefined
}

function findBlockFault(block: unknown, path: string): ShapeFault | undefined {
  if (!isPlainObject(block)) return { path, expected: 'a plain object' }
  switch (block['type']) {
    case 'text':
    case 'reasoning':
      return typeof block['text'] === 'string' ? undefined : fault(path, 'text', 'a string')
    case 'tool-call':
      return findCallFault(block, path)
    case 'tool-result':
      return findResultFault(block, path)
    default:
      return isFilled(block['type']) ? undefined : fault(path, 'type', 'a non-empty string')
  }
}

function findCallFault(block: Fields, path: string): ShapeFault | undefined {
  if (!isFilled(block['id'])) return fault(path, 'id', 'a non-empty string')
  if (!isFilled(block['name'])) return fault(path, 'name', 'a non-empty string')
  return typeof block['arguments'] === 'string' ? undefined : fault(path, 'arguments', 'a string of JSON text')
}

function findResultFault(block: Fields, path: string): ShapeFault | undefined {
  if (!isFilled(block['toolCallId'])) return fault(path, 'toolCallId', 'a non-empty string')
  const isError = block['isError']
  if (isError !== undefined && typeof isError !== 'boolean') return fault(path, 'isError', 'a boolean')
  return findContentFault(block['content'], memberPath(path, 'content'))
}

function fault(parent: string, key: string, expected: string): ShapeFault {
  return { path: memberPath(parent, key), expected }
}

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
