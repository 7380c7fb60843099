import { BlockAssembler, type StreamChunk } from 'dsh-llm'
import { jsonAnswer, startProviderServer } from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import { makeFolder } from './folder.ts'
import { start } from './world.ts'

function parseLines(text: string): StreamChunk[] {
  expect(text.endsWith('\n')).toBe(true)
  return text
    .trimEnd()
    .split('\n')
    .map((line): StreamChunk => JSON.parse(line))
}

describe('chat --json', () => {
  it('prints chunks only, with one finish at the end of each call to the model', async () => {
    await using folder = await makeFolder({ 'a.txt': '' })
    const world = start(['chat', 'What is here?', '--json'], { cwd: folder.path, tty: true })
    expect(await world.exitCode).toBe(0)
    const chunks = parseLines(world.stdout())
    const finishes = chunks.flatMap((chunk) => (chunk.type === 'finish' ? [chunk.reason.kind] : []))
    expect(finishes).toEqual(['tool-calls', 'stop'])
    expect(chunks.at(-1)?.type).toBe('finish')
  })

  it('prints what assembles to the answer', async () => {
    const world = start(['chat', 'Hi', '--json', '--no-tools'])
    await world.exitCode
    const assembler = new BlockAssembler()
    for (const chunk of parseLines(world.stdout())) assembler.push(chunk)
    expect(assembler.finish?.kind).toBe('stop')
    expect(JSON.stringify(assembler.blocks())).toContain('You asked: Hi')
  })

  it('prints the finish of a failed call, and explains it on stderr', async () => {
    await using server = await startProviderServer({ script: [jsonAnswer({}, { status: 401 })] })
    const world = start(['chat', 'Hi', '--json', '--base-url', server.url, '--model', 'm'])
    expect(await world.exitCode).toBe(1)
    expect(parseLines(world.stdout())).toMatchObject([{ type: 'finish', reason: { kind: 'error' } }])
    expect(world.stderr()).toContain('AUTH')
  })

  it('keeps the line editor of a conversation off standard output', async () => {
    const world = start(['chat', '--json', '--no-tools'], { tty: true })
    world.type('Hi\n')
    await world.shows('"type":"finish"')
    world.type('\u0004')
    expect(await world.exitCode).toBe(0)
    expect(parseLines(world.stdout()).at(-1)?.type).toBe('finish')
  })
})
