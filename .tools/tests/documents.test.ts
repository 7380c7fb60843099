import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { documents, root, writeExamples } from './examples.ts'

const run = promisify(execFile)

async function typecheck(folder: string): Promise<string> {
  const tsconfig = {
    extends: '../../tsconfig.json',
    compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
    include: ['*.ts'],
  }
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
  try {
    await run(process.execPath, [tsc, '--noEmit', '-p', folder], { cwd: root })
    return ''
  } catch (error) {
    return (error as { readonly stdout: string }).stdout
  }
}

describe('documents', () => {
  const examples = writeExamples('documents')

  it('every TypeScript block compiles on its own', async () => {
    expect(examples.length).toBeGreaterThan(5)
    expect(await typecheck(path.dirname(examples[0]?.file ?? ''))).toBe('')
  })

  it('the example of the README runs and prints an answer', async () => {
    const example = examples.find(({ document }) => document === 'README.md')
    const args = ['--conditions=dsh-source', example?.file ?? 'missing']
    const { stdout } = await run(process.execPath, args, { cwd: root })
    expect(stdout).toBe('Streams that tell the truth.\nstop\n')
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
