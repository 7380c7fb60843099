import type { JsonObject, JsonValue } from 'dsh-llm'

/** The first part in which two canonical requests differ. */
export interface Drift {
  /** `system`, `tools[2].parameters`, `messages[7]`, or the name of an option. */
  readonly part: string
  /** Where within the part, such as `content[0].text`; empty when it differs as a whole. */
  readonly within: string
  /** Both values, cut around the first difference. */
  readonly diff: string
}

/** Read in this order, as a person would look; the other options stand between tools and messages. */
const firstParts = ['provider', 'model', 'system', 'tools']

/** The first part that differs; nothing for equal requests. */
export function findDrift(recorded: JsonObject, given: JsonObject): Drift | undefined {
  const [first] = driftsOf(recorded, given)
  return first
}

/** How many parts differ; the fewer, the nearer. */
export function countDrifts(recorded: JsonObject, given: JsonObject): number {
  return [...driftsOf(recorded, given)].length
}

function* driftsOf(recorded: JsonObject, given: JsonObject): Generator<Drift> {
  const others = [...new Set([...Object.keys(recorded), ...Object.keys(given)])].toSorted()
  const rest = others.filter((name) => !firstParts.includes(name) && name !== 'messages')
  for (const name of [...firstParts, ...rest, 'messages']) {
    const [before, now] = [recorded[name], given[name]]
    const isSplit = (name === 'tools' || name === 'messages') && isList(before) && isList(now)
    if (isSplit) yield* memberDrifts(name, before, now)
    else if (!isSame(before, now)) yield toDrift(name, before, now)
  }
}

function* memberDrifts(
  name: string,
  before: readonly JsonValue[],
  now: readonly JsonValue[],
): Generator<Drift> {
  for (let index = 0; index < Math.max(before.length, now.length); index += 1) {
    const [old, fresh] = [before[index], now[index]]
    if (isSame(old, fresh)) continue
    const part = `${name}[${index}]`
    const field = name === 'tools' ? fieldOfTool(old, fresh) : undefined
    if (field === 'name') yield toDrift(part, { name: memberOf(old, field) }, { name: memberOf(fresh, field) })
    else if (field === undefined) yield toDrift(part, old, fresh)
    else yield toDrift(`${part}.${field}`, memberOf(old, field), memberOf(fresh, field))
  }
}

/** The field in which a tool changed: `name` when it is another tool; none when there is only one of them. */
function fieldOfTool(before: JsonValue | undefined, now: JsonValue | undefined): string | undefined {
  if (before === undefined || now === undefined) return undefined
  return ['name', 'description', 'parameters'].find(
    (field) => !isSame(memberOf(before, field), memberOf(now, field)),
  )
}

function toDrift(part: string, before: JsonValue | undefined, now: JsonValue | undefined): Drift {
  let [old, fresh] = [before, now]
  let within = ''
  while (isContainer(old) && isContainer(fresh) && isList(old) === isList(fresh)) {
    const [left, right] = [membersOf(old), membersOf(fresh)]
    const keys = [...new Set([...left.keys(), ...right.keys()])]
    const key = keys.find((name) => !isSame(left.get(name), right.get(name)))
    if (key === undefined) break
    within += isList(old) ? `[${key}]` : `.${key}`
    ;[old, fresh] = [left.get(key), right.get(key)]
  }
  return { part, within: within.replace(/^\./, ''), diff: toDiff(old, fresh) }
}

const shownLength = 60

function toDiff(before: JsonValue | undefined, now: JsonValue | undefined): string {
  const [old, fresh] = [print(before), print(now)]
  let same = 0
  while (same < old.length && old[same] === fresh[same]) same += 1
  // Some of what is equal shows where one is.
  const start = Math.max(0, same - 20)
  return `recorded ${cut(old, start)}, now ${cut(fresh, start)}`
}

function print(value: JsonValue | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value)
}

function cut(text: string, start: number): string {
  const end = start + shownLength
  return `${start > 0 ? '…' : ''}${text.slice(start, end).toWellFormed()}${end < text.length ? '…' : ''}`
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isContainer(value) ? membersOf(value).get(name) : undefined
}

function membersOf(value: JsonObject | readonly JsonValue[]): ReadonlyMap<string, JsonValue | undefined> {
  return new Map<string, JsonValue | undefined>(Object.entries(value))
}

/** Both sides are canonical, so equal values have one spelling. */
function isSame(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right)
}

function isContainer(value: JsonValue | undefined): value is JsonObject | readonly JsonValue[] {
  return typeof value === 'object' && value !== null
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value)
}
