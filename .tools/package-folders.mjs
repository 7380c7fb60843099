import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { root } from './install.mjs'

/** The folders of all packages that are published. */
export function packageFolders() {
  return ['packages/core', 'packages/llm']
    .flatMap((group) => readdirSync(path.join(root, group)).map((name) => path.join(root, group, name)))
    .filter((folder) => existsSync(path.join(folder, 'package.json')))
}
