/** A copy without the fields that are `undefined`: what is unknown is absent, also to `in` and in JSON. */
export function present<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields
}
