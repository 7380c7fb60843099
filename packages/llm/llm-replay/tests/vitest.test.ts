import { pathToFileURL } from 'node:url'
import { createLlm } from 'dsh-llm'
import { collectChunks, ScriptedAdapter } from 'dsh-llm-testkit'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { useRecording } from '../src/vitest.ts'
import { registers, TestFile, textOf, toRequest } from './support/stage.ts'

// Whoever records the tests of a harness must not record this one.
vi.stubEnv('DSH_RECORD', undefined)

describe('useRecording', () => {
  const recording = useRecording(import.meta.url, 'hello')

  it('replays what stands beside the test file', async () => {
    await using host = await createLlm({ plugins: [recording.plugin] })
    expect(textOf(await collectChunks(host.llm.stream(toRequest('hi'))))).toBe('Hello')
  })
})

describe('useRecording and what is left over', () => {
  const recording = useRecording(import.meta.url, 'hello')

  it.fails('fails the test that never asked for a recorded call', async () => {
    await using host = await createLlm({ plugins: [recording.plugin] })
    expect(host.ctx.llmReplay.report().unused).toHaveLength(1)
  })
})

describe('useRecording and what could not be written', () => {
  vi.stubEnv('DSH_RECORD', 'all')
  using folder = new TestFile()
  const recording = useRecording(pathToFileURL(folder.path).href, 'secret', { redact: { hook: brokenHook } })
  vi.unstubAllEnvs()

  it.fails('fails the test whose call was dropped', async () => {
    const adapter = new ScriptedAdapter([{ text: 'fine' }])
    await using host = await createLlm({ plugins: [registers('p', adapter), recording.plugin] })
    host.ctx.on('internal/error', () => {})
    await collectChunks(host.llm.stream(toRequest('hi')))
    expect(host.ctx.llmReplay.report().dropped).toHaveLength(1)
  })
})

function brokenHook(): string {
  throw new RangeError('no rule for this')
}

describe('the mode of useRecording', () => {
  afterEach(() => vi.unstubAllEnvs())
  const modes = [undefined, 'missing', 'all', 'off'].map((wish) => {
    vi.stubEnv('DSH_RECORD', wish)
    return useRecording(import.meta.url, 'none').mode
  })
  vi.unstubAllEnvs()

  it('is said by DSH_RECORD, and replay without it', () => {
    expect(modes).toEqual(['replay', 'auto', 'record', 'off'])
    vi.stubEnv('DSH_RECORD', 'some')
    expect(() => useRecording(import.meta.url, 'none')).toThrow(
      'DSH_RECORD is "some" and must be missing, all or off',
    )
  })
})
