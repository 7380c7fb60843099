/** The same entries under lower-case names; of names that differ in case only, the last counts. */
export function lowerCased<Value>(table: Readonly<Record<string, Value>> = {}): Record<string, Value> {
  return Object.fromEntries(Object.entries(table).map(([name, value]) => [name.toLowerCase(), value]))
}
