import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { root } from './examples.ts'

const run = promisify(execFile)

async function compile(resolution: string, module: string): Promise<string> {
  const folder = path.join(root, '.reports', 'consumer', resolution)
  mkdirSync(folder, { recursive: true })
  const compilerOptions = { module, moduleResolution: resolution, allowImportingTsExtensions: true }
  const files = [path.join(root, '.tools/tests/consumer/consumer.ts')]
  const tsconfig = { extends: path.join(root, 'tsconfig.json'), compilerOptions, files, include: [] }
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
  try {
    await run(process.execPath, [tsc, '-p', folder], { cwd: root })
    return ''
  } catch (error) {
    return (error as { readonly stdout: string }).stdout
  }
}

describe('a package that merges kinds of its own and relies on what the compiler refuses', () => {
  it.each([
    ['nodenext', 'nodenext'],
    ['bundler', 'preserve'],
  ])('compiles under %s', async (resolution, module) => {
    expect(await compile(resolution, module)).toBe('')
  })
})
