import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A temporary folder that vanishes at the end of its scope. */
export interface Folder extends AsyncDisposable {
  readonly path: string
}

/** Makes a folder with these files; a name that ends with a slash makes a directory, its content is then ignored. */
export async function makeFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<Folder> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'dsh-llm-cli-')))
  for (const [name, content] of Object.entries(files)) {
    const target = path.join(root, name)
    if (name.endsWith('/')) await mkdir(target, { recursive: true })
    else {
      await mkdir(path.dirname(target), { recursive: true })
      await writeFile(target, content)
    }
  }
  return { path: root, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) }
}
