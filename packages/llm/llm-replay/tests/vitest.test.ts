import { pathToFileURL } from 'node:url'
import { createLlm, isLlmError } from 'dsh-llm'
import { collectChunks, ScriptedAdapter } from 'dsh-llm-testkit'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ReplayConfig } from '../src/config.ts'
import { assertSound, type TestFacts } from '../src/test-verdict.ts'
import { useRecording } from '../src/vitest.ts'
import { openStage, record, registers, TestFile, textOf, toRequest } from './support/stage.ts'

// Whoever records the tests of a harness must not record this one.
vi.stubEnv('DSH_RECORD', undefined)

describe('useRecording', () => {
  const recording = useRecording(import.meta.url, 'hello')

  it('replays what stands beside the test file', async () => {
    await using host = await createLlm({ plugins: [recording.plugin] })
    expect(textOf(await collectChunks(host.llm.stream(toRequest('hi'))))).toBe('Hello')
  })

  it('takes one host of each test', async () => {
    await using host = await createLlm({ plugins: [recording.plugin] })
    await expect(createLlm({ plugins: [recording.plugin] })).rejects.toThrow(/used by two hosts of one test/)
    await collectChunks(host.llm.stream(toRequest('hi')))
  })

  it('is refused within a test, where nothing would run after it', () => {
    expect(() => useRecording(import.meta.url, 'hello')).toThrow(/begins within a test/)
  })
})

describe('useRecording in a file without a recording', () => {
  const recording = useRecording(import.meta.url, 'none')

  it('says how to make one', async () => {
    await expect(createLlm({ plugins: [recording.plugin] })).rejects.toMatchObject({
      code: 'INVALID_RECORDING',
      message: expect.stringMatching(/record it first \(DSH_RECORD=missing records in tests\)$/),
    })
  })
})

// The bodies assert nothing: each of these tests fails only by what runs after it.
describe('useRecording fails the test', () => {
  const left = useRecording(import.meta.url, 'hello')
  const secret = recordingWithBrokenHook()

  it.fails('that never asked for a recorded call', async () => {
    await using _host = await createLlm({ plugins: [left.plugin] })
  })

  it.fails('that swallows a miss', async () => {
    await using host = await createLlm({ plugins: [left.plugin] })
    await collectChunks(host.llm.stream(toRequest('something else')))
  })

  it.fails('whose call could not be written', async () => {
    const adapter = new ScriptedAdapter([{ text: 'fine' }])
    await using host = await createLlm({ plugins: [registers('p', adapter), secret.plugin] })
    host.ctx.on('internal/error', () => {})
    await collectChunks(host.llm.stream(toRequest('hi')))
  })
})

function recordingWithBrokenHook() {
  vi.stubEnv('DSH_RECORD', 'all')
  using folder = new TestFile()
  const hook = (): string => {
    throw new RangeError('no rule for this')
  }
  const recording = useRecording(pathToFileURL(folder.path).href, 'secret', { redact: { hook } })
  vi.unstubAllEnvs()
  return recording
}

/** What the end of a test says, after it asked for these answers. */
async function verdict(
  asked: readonly string[],
  facts: Partial<TestFacts>,
  config: Partial<ReplayConfig> = {},
): Promise<string> {
  using file = new TestFile()
  await record(file, [[toRequest('one'), 'yes']])
  const script = [{ text: 'a' }, { text: 'b' }]
  await using stage = await openStage({ file: file.path, mode: 'replay', ...config }, { script })
  stage.ctx.on('internal/error', () => {})
  for (const text of asked) await stage.ask(toRequest(text))
  try {
    assertSound(stage.ctx.llmReplay, { hasFailed: false, allowsMisses: false, ...facts })
    return 'sound'
  } catch (error) {
    return isLlmError(error) ? `${error.code}: ${error.message}` : String(error)
  }
}

describe('assertSound', () => {
  it('tells the first miss, of a test that failed, too', async () => {
    for (const hasFailed of [true, false])
      expect(await verdict(['two', 'three'], { hasFailed })).toMatch(
        /^REPLAY_DIVERGED: .* in messages\[0\] .*\(DSH_RECORD=all records again, the first of 2\)$/,
      )
    expect(await verdict(['one', 'one'], {})).toMatch(/^REPLAY_EXHAUSTED: /)
  })

  it('lets misses pass where a test provokes them, and then asks for what was left over', async () => {
    expect(await verdict(['two', 'one'], { allowsMisses: true })).toBe('sound')
    expect(await verdict(['two'], { allowsMisses: true })).toMatch(/^REPLAY_UNUSED: /)
  })

  it('says of a test that failed otherwise nothing more', async () => {
    expect(await verdict([], { hasFailed: true })).toBe('sound')
    expect(await verdict([], {})).toMatch(/^REPLAY_UNUSED: /)
  })

  it('tells of calls that were not written', async () => {
    const redact = { hook: () => 'sk-planted0123456789abcdefXYZ' }
    expect(await verdict(['x'], {}, { mode: 'record', redact })).toMatch(
      /^INVALID_RECORDING: A call could not be written to the recording .*still holds what looks like a key/,
    )
  })
})

describe('the mode of useRecording', () => {
  afterEach(() => vi.unstubAllEnvs())
  const modes = [undefined, 'missing', 'all', 'off'].map((wish) => {
    vi.stubEnv('DSH_RECORD', wish)
    return useRecording(import.meta.url, 'none').mode
  })
  const refusals = ['some', 'record'].map((wish) => {
    vi.stubEnv('DSH_RECORD', wish)
    return refusalOf(() => useRecording(import.meta.url, 'none'))
  })
  vi.unstubAllEnvs()
  const wrongPlaces = [
    refusalOf(() => useRecording('/a/b.test.ts', 'x')),
    refusalOf(() => useRecording(import.meta.url, '../up')),
    refusalOf(() => useRecording(import.meta.url, '')),
  ]

  it('is said by DSH_RECORD, and replay without it', () => {
    expect(modes).toEqual(['replay', 'auto', 'record', 'off'])
    for (const refusal of refusals)
      expect(refusal).toMatch(/DSH_RECORD is ".*" and must be missing, all or off/)
  })

  it('is worth nothing without a place for the file', () => {
    expect(wrongPlaces[0]).toContain('give import.meta.url')
    for (const refusal of wrongPlaces.slice(1)) expect(refusal).toContain('is no name of a file')
  })
})

function refusalOf(call: () => unknown): string {
  try {
    call()
    return 'none'
  } catch (error) {
    return isLlmError(error) ? error.message : String(error)
  }
}
