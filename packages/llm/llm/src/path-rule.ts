/** One path in steps, `*` for any one key or index; or what is left of it below a member. */
export type PathRule = readonly string[]

/** Reads a path such as `tools[2].parameters`, `messages[*].content` or `headers["x-a.b"]`. */
export function parsePathRule(path: string): PathRule {
  return Array.from(path.matchAll(/\["(.*?)"\]|[^.[\]]+/g), ([step, quoted]) => quoted ?? step)
}

/** The rules that go on below a member. An empty one among them means the member itself. */
export function rulesBelow(rules: readonly PathRule[], key: string): readonly PathRule[] {
  return rules.length === 0
    ? rules
    : rules.filter(([first]) => first === '*' || first === key).map((rule) => rule.slice(1))
}
