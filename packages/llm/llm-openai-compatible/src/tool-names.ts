import { type GenerateOptions, LlmError } from 'dsh-llm'
import { textDigest } from './text-digest.ts'

const legalName = /^[\w-]+$/

/**
 * The form in which a name may go out: a legal one as it is, any other with illegal characters replaced and a digest of
 * the whole name behind, which depends on the name alone.
 */
export function toWireToolName(name: string, maxLength: number, salt = ''): string {
  if (salt === '' && name.length <= maxLength && legalName.test(name)) return name
  const tail = `_${textDigest(name + salt).slice(-8)}`
  const head = name.replaceAll(/[^\w-]/g, '_').slice(0, maxLength - tail.length)
  return (head === '' ? 'tool' : head) + tail
}

/** The names of one request's tools, there and back. */
export interface ToolNames {
  /** Wire names that `toWireToolName` alone would not give, because two tools would have collided. */
  readonly exceptions: ReadonlyMap<string, string>
  toWire(name: string): string
  /** The caller's name of a tool of this request; any other name comes back as it is. */
  toOriginal(wireName: string): string
}

/** Finds distinct wire names for the tools of a request; two tools of one name are `INVALID_REQUEST`. */
export function planToolNames(tools: GenerateOptions['tools'], maxLength: number): ToolNames {
  const originals = new Map<string, string>()
  const exceptions = new Map<string, string>()
  for (const { name } of illegalLast(tools ?? [], maxLength)) {
    const wireName = findFreeName(name, maxLength, originals)
    if (wireName !== toWireToolName(name, maxLength)) exceptions.set(name, wireName)
    originals.set(wireName, name)
  }
  return {
    exceptions,
    toWire: (name) => exceptions.get(name) ?? toWireToolName(name, maxLength),
    toOriginal: (wireName) => originals.get(wireName) ?? wireName,
  }
}

/** A legal name keeps its form whatever the others are called, so the legal ones choose first. */
function illegalLast(
  tools: readonly { readonly name: string }[],
  maxLength: number,
): { readonly name: string }[] {
  const isLegal = ({ name }: { readonly name: string }): boolean => toWireToolName(name, maxLength) === name
  return [...tools.filter(isLegal), ...tools.filter((tool) => !isLegal(tool))]
}

function findFreeName(name: string, maxLength: number, taken: ReadonlyMap<string, string>): string {
  let wireName = toWireToolName(name, maxLength)
  for (let attempt = 1; taken.has(wireName); attempt += 1) {
    if (taken.get(wireName) === name) {
      throw new LlmError(
        `Two tools are called "${name.slice(0, 100)}", give each its own name`,
        'INVALID_REQUEST',
      )
    }
    wireName = toWireToolName(name, maxLength, `#${attempt}`)
  }
  return wireName
}
