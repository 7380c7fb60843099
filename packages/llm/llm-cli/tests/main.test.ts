import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { makeFolder } from './folder.ts'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const unreachable = 'http://127.0.0.1:9'

describe('main', () => {
  it('answers in its own process, names every entry of the folder, and lets no proxy in between', async () => {
    await using folder = await makeFolder({
      'docs/': '',
      'src/x.ts': '',
      'README.md': '',
      '.env': '',
      'über uns.txt': '',
    })
    const argv = ['--conditions=dsh-source', main, 'chat', 'What is in this folder?']
    const env = { PATH: process.env['PATH'], HTTP_PROXY: unreachable, http_proxy: unreachable }
    const { stdout, stderr } = await promisify(execFile)(process.execPath, argv, { cwd: folder.path, env })
    const answer = stdout.slice(stdout.indexOf('This folder has'))
    for (const entry of await readdir(folder.path)) expect(answer).toContain(entry)
    expect(answer).toMatch(/\nstop · 2 calls · .*\n$/)
    expect(stderr).toContain('embedded provider')
  })
})
