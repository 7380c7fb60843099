import { symlink } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { ToolError } from '../../src/tools/tool.ts'
import { Workspace } from '../../src/tools/workspace.ts'
import { makeFolder } from '../folder.ts'

describe('Workspace.resolve', () => {
  it.each(['.', './', 'docs', 'docs/..', 'docs/../docs/a.txt', '..name'])('lets %s in', async (written) => {
    await using folder = await makeFolder({ 'docs/a.txt': '', '..name': '' })
    const workspace = await Workspace.open(folder.path)
    await expect(workspace.resolve(written)).resolves.toBe(path.resolve(folder.path, written))
  })

  it('lets an absolute path below the folder in', async () => {
    await using folder = await makeFolder({ 'a.txt': '' })
    const absolute = path.join(folder.path, 'a.txt')
    await expect((await Workspace.open(folder.path)).resolve(absolute)).resolves.toBe(absolute)
  })

  it.each(['..', '../', 'docs/../..', '../../etc/passwd', '/', '/etc/passwd', 'docs/../../x', '/no/such/file'])(
    'refuses %s',
    async (written) => {
      await using folder = await makeFolder({ 'docs/': '' })
      const resolving = (await Workspace.open(folder.path)).resolve(written)
      await expect(resolving).rejects.toThrow(ToolError)
      await expect(resolving).rejects.toThrow('leads out of the working directory')
    },
  )

  it('refuses a neighbour whose name begins like the folder', async () => {
    await using folder = await makeFolder({ 'inner/': '', 'inner-twin/': '' })
    const workspace = await Workspace.open(path.join(folder.path, 'inner'))
    await expect(workspace.resolve('../inner-twin')).rejects.toThrow('leads out of the working directory')
  })

  it('follows a link inside, and refuses a file, a folder and a path behind a link to the outside', async () => {
    await using outside = await makeFolder({ 'secret.txt': 'secret' })
    await using folder = await makeFolder({ 'docs/a.txt': '' })
    await symlink('docs/a.txt', path.join(folder.path, 'inside'))
    await symlink(path.join(outside.path, 'secret.txt'), path.join(folder.path, 'file'))
    await symlink(outside.path, path.join(folder.path, 'folder'))
    const workspace = await Workspace.open(folder.path)
    await expect(workspace.resolve('inside')).resolves.toBe(path.join(folder.path, 'docs/a.txt'))
    for (const written of ['file', 'folder', 'folder/secret.txt']) {
      await expect(workspace.resolve(written)).rejects.toThrow('leads out of the working directory')
    }
  })

  it('works when the working directory itself was reached through a link', async () => {
    await using folder = await makeFolder({ 'real/a.txt': '' })
    await symlink('real', path.join(folder.path, 'link'))
    const workspace = await Workspace.open(path.join(folder.path, 'link'))
    await expect(workspace.resolve('a.txt')).resolves.toBe(path.join(folder.path, 'real/a.txt'))
  })

  it.each([
    ['missing.txt', 'does not exist'],
    ['a.txt/below', 'leads through something that is none'],
    ['loop', 'leads in circles'],
    ['nul\0byte', 'is not a legal path'],
  ])('explains %j in words, naming no other path', async (written, words) => {
    await using folder = await makeFolder({ 'a.txt': '' })
    await symlink('loop', path.join(folder.path, 'loop'))
    const error = await (await Workspace.open(folder.path)).resolve(written).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ToolError)
    expect(String(error)).toContain(words)
    expect(String(error)).not.toContain(folder.path)
  })
})
