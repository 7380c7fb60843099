/** One path in steps, `*` for any key or index; what is left of it below a member. */
export type PathRule = readonly string[]

/** Reads paths such as `tools[2].parameters` or `messages[*].content`. */
export function parsePathRules(paths: readonly string[]): readonly PathRule[] {
  return paths.map((path) =>
    Array.from(path.matchAll(/\["(.*?)"\]|[^.[\]]+/g), ([step, quoted]) => quoted ?? step),
  )
}

/** The rules that go on below a member. An empty one among them means the member itself. */
export function rulesBelow(rules: readonly PathRule[], key: string): readonly PathRule[] {
  if (rules.length === 0) return rules
  return rules.filter(([first]) => first === '*' || first === key).map((rule) => rule.slice(1))
}
