/** Plain data that survives `JSON.stringify` and `JSON.parse` unchanged. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

/** An object of plain data; a key whose value is `undefined` counts as absent. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined
}
