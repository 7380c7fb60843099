import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chatCompletions, startProviderServer } from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import { makeFolder } from './folder.ts'
import { start } from './world.ts'

describe('chat with a recording', () => {
  it('writes its calls with --record and answers the same from them with --replay', async () => {
    await using folder = await makeFolder({ 'README.md': '' })
    const recorded = start(['chat', 'What is here?', '--record', 'rec/calls.jsonl'], { cwd: folder.path })
    expect(await recorded.exitCode).toBe(0)
    const file = join(folder.path, 'rec/calls.jsonl')
    expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(3)
    // The folder must look as it did, since the tools really run.
    await using same = await makeFolder({ 'README.md': '', 'rec/': '' })
    const asked = start(['chat', 'What is here?', '--record', 'rec/calls.jsonl'], { cwd: same.path })
    expect(await asked.exitCode).toBe(0)
    const replayed = start(['chat', 'What is here?', '--replay', 'rec/calls.jsonl'], { cwd: same.path })
    expect(await replayed.exitCode).toBe(0)
    expect(replayed.stdout()).toBe(asked.stdout())
    expect(replayed.stderr()).toBe('')
  })

  it('says what drifted when another question is asked', async () => {
    await using folder = await makeFolder()
    const flags = ['--no-tools']
    const recorded = start(['chat', 'One?', ...flags, '--record', 'a.jsonl'], { cwd: folder.path })
    expect(await recorded.exitCode).toBe(0)
    const replayed = start(['chat', 'Two?', ...flags, '--replay', 'a.jsonl'], { cwd: folder.path })
    expect(await replayed.exitCode).toBe(1)
    expect(replayed.stderr()).toMatch(/REPLAY_DIVERGED[\s\S]*messages\[0\] .*recorded "One\?", now "Two\?"/)
    expect(replayed.stderr()).toMatch(/1 call was never asked for, of the recording .*a\.jsonl\n$/)
  })

  it('keeps the key of the environment out of the file, whatever it looks like', async () => {
    await using folder = await makeFolder()
    const key = 'my own odd key'
    await using server = await startProviderServer({
      script: [{ chunks: chatCompletions({ text: `It is ${key}` }) }],
    })
    const argv = ['chat', 'Hi', '--base-url', server.url, '--model', 'm', '--no-tools', '--record', 'a.jsonl']
    const world = start(argv, { cwd: folder.path, env: { OPENAI_API_KEY: key } })
    expect(await world.exitCode).toBe(0)
    expect(world.stdout()).toContain(key)
    expect(await readFile(join(folder.path, 'a.jsonl'), 'utf8')).toContain('It is [redacted]')
  })

  it('refuses both at once, and a recording that is not there', async () => {
    await using folder = await makeFolder()
    const both = start(['chat', 'Hi', '--record', 'a', '--replay', 'b'])
    expect(await both.exitCode).toBe(2)
    const missing = start(['chat', 'Hi', '--replay', 'b.jsonl'], { cwd: folder.path })
    expect(await missing.exitCode).toBe(1)
    expect(missing.stderr()).toContain('INVALID_RECORDING')
  })
})
