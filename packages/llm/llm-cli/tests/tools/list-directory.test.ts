import { symlink } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { listDirectory } from '../../src/tools/list-directory.ts'
import { Workspace } from '../../src/tools/workspace.ts'
import { makeFolder } from '../folder.ts'

async function list(folder: string, written = '.'): Promise<string> {
  return listDirectory.run({ path: written }, await Workspace.open(folder))
}

describe('listDirectory', () => {
  it('names every entry once, sorted, with a slash behind directories', async () => {
    await using folder = await makeFolder({ 'b.txt': '', 'a/x': '', '.hidden/': '', C: '' })
    await expect(list(folder.path)).resolves.toBe('.hidden/\nC\na/\nb.txt')
    await expect(list(folder.path, 'a')).resolves.toBe('x')
  })

  it('names a link without following it', async () => {
    await using folder = await makeFolder()
    await symlink('/', path.join(folder.path, 'link'))
    await expect(list(folder.path)).resolves.toBe('link')
  })

  it('says so when the directory is empty', async () => {
    await using folder = await makeFolder()
    await expect(list(folder.path)).resolves.toBe('(the directory is empty)')
  })

  it('counts what is above a thousand entries', async () => {
    const names = Array.from({ length: 1_002 }, (_, at) => [`f${String(at).padStart(4, '0')}`, ''])
    await using folder = await makeFolder(Object.fromEntries(names))
    const lines = (await list(folder.path)).split('\n')
    expect(lines).toHaveLength(1_001)
    expect(lines.slice(-2)).toEqual(['f0999', '[1000 of 1002 entries shown]'])
  })

  it('does not let a name with a line break pass for two entries', async () => {
    await using folder = await makeFolder({ 'a\nb': '' })
    await expect(list(folder.path)).resolves.toBe(String.raw`"a\nb"`)
  })

  it('refuses a file and the outside', async () => {
    await using folder = await makeFolder({ 'a.txt': '' })
    await expect(list(folder.path, 'a.txt')).rejects.toThrow('"a.txt" is not a directory')
    await expect(list(folder.path, '..')).rejects.toThrow('leads out of the working directory')
  })
})
