import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const run = promisify(execFile)
const root = path.resolve(import.meta.dirname, '../..')
const output = path.join(root, '.reports', 'documents')

interface Example {
  readonly document: string
  readonly file: string
  readonly code: string
}

/** Every `ts` block of every document, each as a module of its own. */
function collectExamples(): readonly Example[] {
  return documents().flatMap((document) => {
    const blocks = readFileSync(path.join(root, document), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)
    const stem = document.replaceAll(/[/.]/g, '-')
    return [...blocks].map(([, code = ''], at) => ({
      document,
      file: path.join(output, `${stem}-${at}.ts`),
      code,
    }))
  })
}

function documents(): readonly string[] {
  const listed = ['README.md', 'AGENTS.md', ...markdownIn('docs'), ...markdownIn('docs/decisions')]
  const packages = ['packages/core', 'packages/llm'].flatMap((group) =>
    readdirSync(path.join(root, group)).map((name) => `${group}/${name}/README.md`),
  )
  return [...listed, ...packages]
}

function markdownIn(folder: string): readonly string[] {
  const files = readdirSync(path.join(root, folder)).filter((file) => file.endsWith('.md'))
  return files.map((file) => `${folder}/${file}`)
}

function writeExamples(examples: readonly Example[]): void {
  rmSync(output, { recursive: true, force: true })
  mkdirSync(output, { recursive: true })
  for (const { file, code } of examples) writeFileSync(file, `${code}\nexport {}\n`)
  const tsconfig = {
    extends: '../../tsconfig.json',
    compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
    include: ['*.ts'],
  }
  writeFileSync(path.join(output, 'tsconfig.json'), JSON.stringify(tsconfig))
}

async function typecheck(): Promise<string> {
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
  try {
    await run(process.execPath, [tsc, '--noEmit', '-p', output], { cwd: root })
    return ''
  } catch (error) {
    return (error as { readonly stdout: string }).stdout
  }
}

describe('documents', () => {
  const examples = collectExamples()
  writeExamples(examples)

  it('every TypeScript block compiles on its own', async () => {
    expect(examples.length).toBeGreaterThan(5)
    expect(await typecheck()).toBe('')
  })

  it('the example of the README runs and prints an answer', async () => {
    const example = examples.find(({ document }) => document === 'README.md')
    const args = ['--conditions=dsh-source', example?.file ?? 'missing']
    const { stdout } = await run(process.execPath, args, { cwd: root })
    expect(stdout).toMatch(/stop/)
  })

  it('relative links lead to files that exist', () => {
    const broken = documents().flatMap((document) => {
      const links = readFileSync(path.join(root, document), 'utf8').matchAll(/\]\((?!https?:)([^)#]+)/g)
      const targets = [...links].map(([, link = '']) => path.resolve(root, path.dirname(document), link))
      return targets.filter((target) => !existsSync(target)).map((target) => `${document}: ${target}`)
    })
    expect(broken).toEqual([])
  })
})
