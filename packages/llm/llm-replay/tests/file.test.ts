import { execFileSync } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Context } from 'dsh-context'
import { type GenerateOptions, isLlmError, LlmRuntime, type StreamChunk } from 'dsh-llm'
import { collectChunks } from 'dsh-llm-testkit'
import { describe, expect, it, vi } from 'vitest'
import { parseJson, toJson } from '../src/file/json-line.ts'
import type { RecordedCall } from '../src/file/recorded-call.ts'
import { RecordingFile } from '../src/file/recording-file.ts'
import type { LinePlace } from '../src/file/scan-lines.ts'
import replay from '../src/index.ts'
import { failureOf, openStage, record, TestFile, textOf, toRequest } from './support/stage.ts'

const [one, two, three] = [toRequest('one'), toRequest('two'), toRequest('three')]

/** What opening the recording for replay fails with. */
async function refusalOf(file: TestFile): Promise<string> {
  try {
    await using stage = await openStage({ file: file.path, mode: 'replay' })
    return `opened with ${stage.ctx.llmReplay.report().unused.length}`
  } catch (error) {
    if (isLlmError(error)) return `${error.code} ${error.message.replace(file.path, 'FILE')}`
    throw error
  }
}

describe('a recording', () => {
  it('takes the place of an older one, and of no other file', async () => {
    using file = new TestFile()
    await record(file, [[one, 'yes']])
    await record(file, [[two, 'no']])
    expect(file.lines).toHaveLength(2)
    writeFileSync(file.path, 'my precious notes\n')
    await expect(openStage({ file: file.path, mode: 'record' })).rejects.toMatchObject({
      code: 'INVALID_RECORDING',
    })
    expect(file.text).toBe('my precious notes\n')
  })

  it('is a header and one readable line for each call, in a fixed order of keys, for the owner only', async () => {
    using file = new TestFile()
    await record(file, [[one, 'yes']])
    expect(file.lines[0]).toBe('{"format":"dsh-llm-recording","version":1}')
    expect(file.lines[1]).toMatch(
      /^\{"fingerprint":"[0-9a-f]{64}","session":0,"call":1,"request":\{"messages":\[\{"content":\[\{"text":"one","type":"text"\}\]/,
    )
    expect(file.lines[1]).toMatch(/"outcome":"finish"\}$/)
    expect(statSync(file.path).mode & 0o777).toBe(0o600)
  })

  it('with a torn last line still gives the rest, and says which line is torn', async () => {
    using file = new TestFile()
    await record(file, [
      [one, 'yes'],
      [two, 'no'],
    ])
    file.write(file.text.slice(0, -20))
    const errors: unknown[] = []
    const host = new Context()
    host.on('internal/error', (error) => void errors.push(error))
    await host.plugin(LlmRuntime, {})
    await host.plugin(replay, { file: file.path, mode: 'replay' })
    const ask = (request: GenerateOptions): Promise<StreamChunk[]> => collectChunks(host.llm.stream(request))
    expect(textOf(await ask(one))).toBe('yes')
    expect(failureOf(await ask(two)).code).toBe('REPLAY_EXHAUSTED')
    expect(host.llmReplay.report().tornLine).toBe(3)
    expect(errors).toMatchObject([{ code: 'INVALID_RECORDING', message: expect.stringContaining('Line 3') }])
    await host.dispose()
  })

  it('with a torn last line is mended before auto adds to it', async () => {
    using file = new TestFile()
    await record(file, [
      [one, 'yes'],
      [two, 'no'],
    ])
    const before = file.text
    file.write(before.slice(0, -20))
    // Nobody listens to errors while `createLlm` loads, so the report goes to the console.
    const onConsole = vi.spyOn(console, 'error').mockImplementation(() => {})
    {
      await using stage = await openStage({ file: file.path, mode: 'auto' }, { script: [{ text: 'no' }] })
      expect(textOf(await stage.ask(one))).toBe('yes')
      expect(textOf(await stage.ask(two))).toBe('no')
    }
    expect(onConsole).toHaveBeenCalledExactlyOnceWith('Plugin "replay" failed:', expect.anything())
    onConsole.mockRestore()
    expect(file.text).toBe(before)
  })

  it('keeps its lines when auto loads it, and gets what was missing behind them', async () => {
    using file = new TestFile()
    await record(file, [
      [one, 'a'],
      [two, 'b'],
    ])
    const before = file.text
    for (const match of ['session', 'fingerprint'] as const) {
      await using stage = await openStage({ file: file.path, mode: 'auto', match }, { script: [{ text: 'c' }] })
      for (const request of [one, two, three]) await stage.ask(request)
      const { recorded, replayed } = stage.ctx.llmReplay.report()
      expect([recorded, replayed]).toEqual(match === 'session' ? [1, 2] : [0, 3])
    }
    expect(file.text.startsWith(before)).toBe(true)
    expect(file.lines).toHaveLength(4)
    expect(file.lines[3]).toContain('"session":0,"call":3,')
  })

  it('in auto still says what drifted, and adds nothing for it, when matched by position', async () => {
    using file = new TestFile()
    await record(file, [[one, 'a']])
    await using stage = await openStage({ file: file.path, mode: 'auto' }, { script: [{ text: 'c' }] })
    expect(failureOf(await stage.ask(two)).code).toBe('REPLAY_DIVERGED')
    expect(file.lines).toHaveLength(2)
  })

  it('is refused naming the line that is bad', async () => {
    using file = new TestFile()
    await record(file, [
      [one, 'a'],
      [two, 'b'],
    ])
    const [header = '', first = '', second = ''] = file.lines
    const table = [
      ['', 'line 1 of the recording FILE: the file is empty'],
      [`${first}\n`, 'line 1 of the recording FILE: it is no header'],
      ['{"format":"dsh-llm-recording","version":2}\n', 'version 2 is not understood'],
      [`${header}\n${first}\n\n`, 'line 3 of the recording FILE: it is empty'],
      [
        `${header}\n${first}\n${second.replace('"call":2', '"call":1')}\n`,
        'line 3 of the recording FILE: it is call 1 of session 0, as line 2 is',
      ],
      [
        `${header}\n${first.replace('"text":"a"', '"text":"edited"')}\n`,
        'line 2 of the recording FILE: chunks.2 breaks rule R4',
      ],
      [`${header}\n{"fing\n${second}\n`, 'line 2 of the recording FILE: it is not exact JSON'],
      [
        `${header}\n${first}\n${second.replace('"outcome":"finish"', '"outcome":"gone"')}\n`,
        'line 3 of the recording FILE: outcome',
      ],
      [
        `${header}\n${first.replace('"type":"block-start"', '"type":"block"')}\n`,
        'line 2 of the recording FILE: chunks',
      ],
      [
        `${header}\n${first.replace('"outcome":"finish"', '"outcome":"left"')}\n`,
        'line 2 of the recording FILE: the line: a call with outcome',
      ],
      [
        `${header}\n${first.replace('"call":1', '"call":12345678901234567890')}\n`,
        'cannot be read without loss',
      ],
    ] as const
    for (const [text, words] of table) {
      file.write(text)
      const refusal = await refusalOf(file)
      expect(refusal).toContain('INVALID_RECORDING')
      expect(refusal).toContain(words)
    }
    file.write(`${header}\n${first}`)
    expect(await refusalOf(file)).toBe('opened with 1')
    // As editors and version control of Windows leave it.
    file.write(`\uFEFF${header}\r\n${first}\r\n`)
    expect(await refusalOf(file)).toBe('opened with 1')
  })

  it('holds no failure from before a provider was asked, which auto would repeat for ever', async () => {
    using file = new TestFile()
    {
      await using stage = await openStage({ file: file.path, mode: 'auto' })
      stage.ctx.on('internal/error', () => {})
      expect(failureOf(await stage.ask(one)).code).toBe('NO_ADAPTER')
      expect(stage.ctx.llmReplay.report()).toMatchObject({
        recorded: 0,
        dropped: [expect.stringContaining('no provider was asked (NO_ADAPTER')],
      })
    }
    await using stage = await openStage({ file: file.path, mode: 'auto' }, { script: [{ text: 'yes' }] })
    expect(textOf(await stage.ask(one))).toBe('yes')
    expect(stage.ctx.llmReplay.report().recorded).toBe(1)
  })

  it('is not begun in place of a file that is none, even one of a single line nobody ended', async () => {
    using file = new TestFile()
    file.write('notes of mine')
    await expect(openStage({ file: file.path, mode: 'auto' })).rejects.toThrow(/line 1 .* it is no header/)
    expect(file.text).toBe('notes of mine')
    file.write('{"format":"dsh')
    const recording = RecordingFile.continue(file.path)
    expect(recording.scan(() => {})).toBe(1)
    recording.mend()
    recording.close()
    expect(file.lines).toEqual(['{"format":"dsh-llm-recording","version":1}'])
  })

  it('is written by one plugin at a time, and the one that came first goes on', async () => {
    using file = new TestFile()
    {
      await using first = await openStage(
        { file: file.path, mode: 'record' },
        { script: [{ text: 'a' }, { text: 'b' }] },
      )
      await first.ask(one)
      for (const mode of ['record', 'auto'] as const)
        await expect(openStage({ file: file.path, mode })).rejects.toMatchObject({
          code: 'INVALID_RECORDING',
          message: expect.stringContaining('another plugin of this process is writing it'),
        })
      await first.ask(two)
    }
    expect(await refusalOf(file)).toBe('opened with 2')
    await record(file, [[one, 'again']])
    expect(await refusalOf(file)).toBe('opened with 1')
  })

  it('is refused with a code where a folder or a device stands', async () => {
    using file = new TestFile()
    for (const path of [dirname(file.path), '/dev/null'])
      for (const mode of ['record', 'auto', 'replay'] as const)
        await expect(openStage({ file: path, mode })).rejects.toMatchObject({ code: 'INVALID_RECORDING' })
  })

  it('loses a call that the disk has no room for, and keeps the lines around it', () => {
    using file = new TestFile()
    // Half a kibibyte a file, with an error in place of the signal that would end the process.
    const command = `trap '' XFSZ; ulimit -f 1; exec "$0" --conditions=dsh-source "$1" "$2"`
    const script = fileURLToPath(new URL('support/full-disk.ts', import.meta.url))
    const outcome = execFileSync('/bin/sh', ['-c', command, process.execPath, script, file.path], {
      encoding: 'utf8',
    })
    expect(outcome).toBe('written INVALID_RECORDING written')
    expect(file.lines).toHaveLength(3)
    expect(file.text.endsWith('\n')).toBe(true)
  })

  it('is neither read nor written once it is closed, whoever has its number then', async () => {
    using file = new TestFile()
    await record(file, [[one, 'a']])
    const recording = RecordingFile.continue(file.path)
    const found: [RecordedCall, LinePlace][] = []
    recording.scan((call, place) => void found.push([call, place]))
    recording.close()
    using other = new TestFile()
    const next = RecordingFile.create(other.path)
    for (const [call, place] of found) {
      expect(() => recording.append(call)).toThrow(/its plugin was unloaded/)
      expect(() => recording.read(place)).toThrow(/its plugin was unloaded/)
    }
    next.close()
    expect(found).toHaveLength(1)
    expect(other.lines).toHaveLength(1)
  })

  it('that is not there cannot be replayed', async () => {
    using file = new TestFile()
    expect(await refusalOf(file)).toMatch(
      /^INVALID_RECORDING Could not open the recording FILE: ENOENT.*record it first$/,
    )
  })

  it('keeps every number exactly', () => {
    const numbers = [-0, 0.1, 1e300, 5e-324, 123456789012345680000, Number.MAX_SAFE_INTEGER]
    expect(parseJson(toJson(numbers))).toEqual(numbers)
    expect(() => parseJson('[12345678901234567891]')).toThrow(/without loss/)
  })
})

describe('the config of replay', () => {
  it.each([
    ['mode', { mode: 'both', file: 'x' }],
    ['file', { mode: 'off', file: ' ' }],
    ['ignroe', { mode: 'off', file: 'x', ignroe: [] }],
    ['ignore.1', { mode: 'off', file: 'x', ignore: ['seed', 'messages'] }],
    ['redact.paths.0', { mode: 'off', file: 'x', redact: { paths: ['chunks[*]'] } }],
    ['redact.paths.0', { mode: 'off', file: 'x', redact: { paths: ['system['] } }],
    ['redact.paths.0', { mode: 'off', file: 'x', redact: { paths: ['chunks.1'] } }],
    ['ignore.0', { mode: 'off', file: 'x', ignore: ['*'] }],
    ['redact.secrets.0', { mode: 'off', file: 'x', redact: { secrets: ['abc'] } }],
  ])('is refused naming %s', async (path, config) => {
    const opened = openStage(config as never)
    await expect(opened).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining(path),
    })
  })
})
