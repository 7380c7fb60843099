import type { JsonValue } from './json.ts'
import { isPlainObject, memberPath } from './plain-data.ts'

/** Why a value is no plain data, and where; `what` is a phrase: `is a function`. */
class DetachFault extends Error {
  constructor(path: string, what: string) {
    super(`${path === '' ? 'it' : path} ${what}`)
  }
}

const MAX_DEPTH = 256

/**
 * A frozen deep copy of plain data, which shares nothing with the value given. Keys whose value is `undefined` are
 * dropped; everything that JSON could not give back (functions, class instances, symbols, accessors, cycles, big
 * integers, NaN, holes) throws a `DetachFault`.
 */
export function detach(value: unknown, path = ''): JsonValue {
  try {
    return copy(value, path, 0)
  } catch (error) {
    if (error instanceof DetachFault) throw error
    throw new DetachFault(path, 'cannot be read')
  }
}

function copy(value: unknown, path: string, depth: number): JsonValue {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value
    throw new DetachFault(path, `is ${value}`)
  }
  if (typeof value !== 'object')
    throw new DetachFault(path, value === undefined ? 'is undefined' : `is a ${typeof value}`)
  // A cycle needs no bookkeeping: it is what never gets shallow.
  if (depth === MAX_DEPTH)
    throw new DetachFault(path, `is nested deeper than ${MAX_DEPTH} levels or contains itself`)
  if (Array.isArray(value)) return copyArray(value, path, depth)
  if (isPlainObject(value)) return copyObject(value, path, depth)
  throw new DetachFault(path, 'is an instance of a class')
}

function copyArray(source: readonly unknown[], path: string, depth: number): JsonValue {
  const target: JsonValue[] = []
  for (let index = 0; index < source.length; index += 1) {
    const itemPath = memberPath(path, index)
    target.push(copy(readMember(source, String(index), itemPath), itemPath, depth + 1))
  }
  return Object.freeze(target)
}

function copyObject(source: Record<string, unknown>, path: string, depth: number): JsonValue {
  if (Object.getOwnPropertySymbols(source).length > 0) throw new DetachFault(path, 'has a symbol as key')
  const target: Record<string, JsonValue> = {}
  for (const key of Object.keys(source)) {
    const valuePath = memberPath(path, key)
    const value = readMember(source, key, valuePath)
    if (value !== undefined) define(target, key, copy(value, valuePath, depth + 1))
  }
  return Object.freeze(target)
}

function readMember(source: object, key: string, path: string): unknown {
  const property = Object.getOwnPropertyDescriptor(source, key)
  if (property !== undefined && !('value' in property)) throw new DetachFault(path, 'is an accessor')
  return property?.value
}

function define(target: Record<string, JsonValue>, key: string, value: JsonValue): void {
  // Plain assignment would set the prototype instead of a key of that name.
  if (key === '__proto__') Object.defineProperty(target, key, { value, enumerable: true })
  else target[key] = value
}
