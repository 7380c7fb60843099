import { execFileSync } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readTextFile } from '../../src/tools/read-text-file.ts'
import { Workspace } from '../../src/tools/workspace.ts'
import { makeFolder } from '../folder.ts'

const limit = 256 * 1024

async function read(folder: string, written: string): Promise<string> {
  return readTextFile.run({ path: written }, await Workspace.open(folder))
}

describe('readTextFile', () => {
  it('gives the whole text, also through a link inside', async () => {
    await using folder = await makeFolder({ 'a.txt': 'Grüße\n' })
    await symlink('a.txt', path.join(folder.path, 'link'))
    await expect(read(folder.path, 'a.txt')).resolves.toBe('Grüße\n')
    await expect(read(folder.path, 'link')).resolves.toBe('Grüße\n')
  })

  it('says so when the file is empty', async () => {
    await using folder = await makeFolder({ empty: '' })
    await expect(read(folder.path, 'empty')).resolves.toBe('(the file is empty)')
  })

  it('reads a file of exactly the limit and refuses one byte more', async () => {
    await using folder = await makeFolder({ full: 'x'.repeat(limit), over: 'x'.repeat(limit + 1) })
    await expect(read(folder.path, 'full')).resolves.toHaveLength(limit)
    await expect(read(folder.path, 'over')).rejects.toThrow(`"over" is too large: more than ${limit} bytes`)
  })

  it.each([
    ['binary', new Uint8Array([0x50, 0, 0x51]), 'is a binary file'],
    ['latin', new Uint8Array([0x47, 0xfc]), 'is not UTF-8 text'],
  ])('refuses a %s file', async (name, bytes, words) => {
    await using folder = await makeFolder({ [name]: bytes })
    await expect(read(folder.path, name)).rejects.toThrow(words)
  })

  it('refuses a directory and the outside', async () => {
    await using folder = await makeFolder({ 'docs/': '' })
    await expect(read(folder.path, 'docs')).rejects.toThrow('"docs" is not a regular file')
    await expect(read(folder.path, '../secret')).rejects.toThrow('leads out of the working directory')
  })

  it('refuses a named pipe instead of waiting for a writer', async () => {
    await using folder = await makeFolder()
    execFileSync('mkfifo', [path.join(folder.path, 'pipe')])
    await expect(read(folder.path, 'pipe')).rejects.toThrow('"pipe" is not a regular file')
  })
})
