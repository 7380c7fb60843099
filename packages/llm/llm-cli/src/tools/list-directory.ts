import { readdir } from 'node:fs/promises'
import type { Dirent } from 'node:fs'
import { parsePath, pathParameters } from './path-input.ts'
import type { Tool } from './tool.ts'
import { rejectAsToolError } from './workspace.ts'

// More entries than this are counted, not named: a model reads no further, and pays for each.
const maxEntries = 1_000

/** Names the entries of a directory below the working directory, sorted, one a line, directories with a final slash. */
export const listDirectory: Tool = {
  schema: {
    name: 'list_directory',
    description:
      'Lists the entries of a directory below the working directory, one per line, sorted. Directories end with "/".',
    parameters: pathParameters(
      'Directory, relative to the working directory; "." is the working directory itself',
    ),
  },
  async run(input, workspace) {
    const written = parsePath(input)
    const real = await workspace.resolve(written)
    const entries = await readdir(real, { withFileTypes: true }).catch(rejectAsToolError(written))
    if (entries.length === 0) return '(the directory is empty)'
    const names = entries.map(toName).sort()
    const shown = names.slice(0, maxEntries)
    if (names.length > maxEntries) shown.push(`[${maxEntries} of ${names.length} entries shown]`)
    return shown.join('\n')
  },
}

/** A name with a line break or another control character is quoted, so that it cannot pass for several entries. */
function toName(entry: Dirent): string {
  const name = /\p{Cc}/u.test(entry.name) ? JSON.stringify(entry.name) : entry.name
  return entry.isDirectory() ? `${name}/` : name
}
