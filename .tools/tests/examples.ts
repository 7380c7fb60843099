import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export const root: string = path.resolve(import.meta.dirname, '../..')

/** One `ts` block of a document. */
export interface Example {
  readonly document: string
  /** Where it was written to; the name is given by `file=` behind `ts`, or made from the document's. */
  readonly file: string
  readonly code: string
}

/** Every document of the repository, as paths from its root. */
export function documents(): readonly string[] {
  const packages = ['packages/core', 'packages/llm'].flatMap((group) =>
    readdirSync(path.join(root, group)).map((name) => `${group}/${name}/README.md`),
  )
  return ['README.md', 'AGENTS.md', ...markdownIn('docs'), ...markdownIn('docs/decisions'), ...packages]
}

/** Writes the `ts` blocks of the documents into a folder of their own, each as a module, and gives them. */
export function writeExamples(folder: string, from: readonly string[] = documents()): readonly Example[] {
  const output = path.join(root, '.reports', folder)
  rmSync(output, { recursive: true, force: true })
  mkdirSync(output, { recursive: true })
  const examples = from.flatMap((document) => examplesOf(document, output))
  for (const { file, code } of examples) writeFileSync(file, `${code}\nexport {}\n`)
  return examples
}

function examplesOf(document: string, output: string): readonly Example[] {
  const blocks = readFileSync(path.join(root, document), 'utf8').matchAll(
    /^```ts(?: file=(\S+))?\n([\s\S]*?)^```$/gm,
  )
  const stem = document.replaceAll(/[/.]/g, '-')
  return [...blocks].map(([, name, code = ''], at) => ({
    document,
    file: path.join(output, name ?? `${stem}-${at}.ts`),
    code,
  }))
}

function markdownIn(folder: string): readonly string[] {
  const files = readdirSync(path.join(root, folder)).filter((file) => file.endsWith('.md'))
  return files.map((file) => `${folder}/${file}`)
}
