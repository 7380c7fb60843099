/** The entries of a directory as its listing names them; a folder's name keeps its final slash. */
export interface FolderListing {
  readonly folders: readonly string[]
  readonly files: readonly string[]
}

/**
 * Reads one entry per line. Bullets and blank lines are passed over, and so are lines that introduce something (a final
 * colon) or remark on it (in brackets).
 */
export function parseFolderListing(toolResult: string): FolderListing {
  const names = toolResult
    .split(/\r?\n/)
    .map((line) => line.trim().replace(/^[-*•] /, ''))
    .filter((name) => name !== '' && !name.endsWith(':') && !/^[([].*[)\]]$/.test(name))
  return {
    folders: names.filter((name) => name.endsWith('/')),
    files: names.filter((name) => !name.endsWith('/')),
  }
}

/** "1 folder", "2 folders" */
export function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`
}

const hints: readonly (readonly [entry: string, description: string])[] = [
  ['pnpm-workspace.yaml', 'the root of a pnpm workspace of JavaScript packages'],
  ['package.json', 'the folder of a JavaScript package'],
  ['Cargo.toml', 'the folder of a Rust crate'],
  ['pyproject.toml', 'the folder of a Python project'],
  ['go.mod', 'the folder of a Go module'],
  ['.git/', 'the working copy of a git repository'],
]

/** One sentence that is true of the entries, whatever they are. */
export function describeFolder({ folders, files }: FolderListing): string {
  const entries = new Set([...folders, ...files])
  const hint = hints.find(([entry]) => entries.has(entry))
  if (hint === undefined)
    return 'In one sentence: an ordinary folder without the marks of a particular kind of project.'
  const [entry, description] = hint
  return `In one sentence: ${entry} says that this is ${description}.`
}
