import * as v from 'valibot'

/** A provider and one of its models. */
export interface Route {
  readonly provider: string
  readonly model: string
}

/** What happens to calls of one provider, or of one model there, that fail with one of some codes. */
export interface Fallback {
  /** The route that the caller asked for; without a model it is any of the provider's. */
  readonly from: { readonly provider: string; readonly model?: string | undefined }
  readonly on: readonly string[]
  /** Asked in this order, each at most once in a call. */
  readonly to: readonly Route[]
}

/** For each failure the first fallback that fits decides. */
export interface RouteConfig {
  readonly fallbacks: readonly Fallback[]
  /** Until when a call may be switched: until the reader got content, which is the default, or to its end. */
  readonly until?: 'first-content' | 'finish' | undefined
}

const text = v.pipe(v.string('must be a string'), v.regex(/\S/, 'must not be blank'))

const route = plainObject(v.strictObject({ provider: text, model: text }))

const fallback = plainObject(
  v.strictObject({
    from: plainObject(v.strictObject({ provider: text, model: v.optional(text) })),
    on: filledList(text, 'codes'),
    to: filledList(route, 'routes'),
  }),
)

/** Checks the plugin's config; every issue names its path. */
export const configSchema: v.GenericSchema<RouteConfig> = plainObject(
  v.strictObject({
    fallbacks: v.array(fallback, 'must be a list of fallbacks'),
    until: v.optional(v.picklist(['first-content', 'finish'], 'must be first-content or finish')),
  }),
)

function filledList<Item>(item: v.GenericSchema<Item>, what: string): v.GenericSchema<readonly Item[]> {
  return v.pipe(v.array(item, `must be a list of ${what}`), v.minLength(1, 'must not be empty'))
}

/** For a schema of objects a list is an object with nothing in it. */
function plainObject<Value>(schema: v.GenericSchema<Value>): v.GenericSchema<Value> {
  const isPlain = v.custom<Value>(
    (value) => Object.prototype.toString.call(value) === '[object Object]',
    'must be a plain object',
  )
  return v.pipe(isPlain, schema)
}
