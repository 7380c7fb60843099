import { chatCompletions, fakeClock, jsonAnswer, startProviderServer } from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import { start } from './world.ts'

const answer = { chunks: chatCompletions({ text: 'Yes.' }) }

function limited(seconds: string): ReturnType<typeof jsonAnswer> {
  return jsonAnswer({ error: { message: 'slow down' } }, { status: 429, headers: { 'retry-after': seconds } })
}

describe('chat whose call fails for now', () => {
  it('shows the attempt while it waits, and then the answer', async () => {
    await using server = await startProviderServer({ script: [limited('1.5'), answer] })
    const clock = fakeClock()
    const world = start(['chat', 'Why?', '--base-url', server.url, '--model', 'm'], { clock })
    await world.shows('RATE_LIMIT, attempt 2 in 1.5 s\n')
    expect(server.requests).toHaveLength(1)
    await clock.advance(1_500)
    expect(await world.exitCode).toBe(0)
    expect(world.stdout()).toMatch(/^RATE_LIMIT, attempt 2 in 1\.5 s\n\nYes\.\n/)
    expect(server.requests).toHaveLength(2)
  })

  it('prints the attempt as a chunk with --json', async () => {
    await using server = await startProviderServer({ script: [limited('2'), answer] })
    const clock = fakeClock()
    const world = start(['chat', 'Why?', '--json', '--base-url', server.url, '--model', 'm'], { clock })
    await world.shows('"type":"attempt","attempt":2')
    await clock.advance(2_000)
    expect(await world.exitCode).toBe(0)
  })

  it('is aborted by Ctrl-C during the wait, without another request', async () => {
    await using server = await startProviderServer({ script: [limited('20')] })
    const world = start(['chat', 'Why?', '--base-url', server.url, '--model', 'm'], { clock: fakeClock() })
    await world.shows('attempt 2 in 20 s')
    world.interrupt()
    expect(await world.exitCode).toBe(130)
    expect(server.requests).toHaveLength(1)
  })
})
