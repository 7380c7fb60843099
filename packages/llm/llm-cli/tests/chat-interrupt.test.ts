import { chatCompletions, startProviderServer } from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import { start, stillClock } from './world.ts'

const hang = { chunks: chatCompletions({ text: ['Half', ' of it'] }).slice(0, 2), end: 'hang' } as const

describe('chat at Ctrl-C', () => {
  it('aborts the answer, shows how it ended, and ends with 130', async () => {
    await using server = await startProviderServer({ script: [hang] })
    const world = start(['chat', 'Why?', '--base-url', server.url, '--model', 'm'])
    await world.shows('Half')
    world.interrupt()
    expect(await world.exitCode).toBe(130)
    expect(world.stdout()).toContain('\naborted · first content')
    expect(world.stderr()).toBe('')
    expect(await server.requests[0]?.closed).toMatchObject({ by: 'client' })
    expect(world.interruptListeners()).toBe(0)
  })

  it('ends the JSON of an aborted call with its finish', async () => {
    await using server = await startProviderServer({ script: [hang] })
    const world = start(['chat', 'Why?', '--json', '--base-url', server.url, '--model', 'm'])
    await world.shows('Half')
    world.interrupt()
    expect(await world.exitCode).toBe(130)
    const lines = world.stdout().trimEnd().split('\n')
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'finish', reason: { kind: 'aborted' } })
  })

  it('quits at the second one without waiting for anything', async () => {
    await using server = await startProviderServer({ script: [hang] })
    const world = start(['chat', 'Why?', '--base-url', server.url, '--model', 'm'], { clock: stillClock })
    await world.shows('Half')
    world.interrupt()
    world.interrupt()
    expect(await world.exitCode).toBe(130)
  })

  it('quits while the prompt is still awaited', async () => {
    const world = start(['chat'], { tty: true })
    world.interrupt()
    expect(await world.exitCode).toBe(130)
  })
})

describe('chat into a pipe', () => {
  it('ends with 1 when nobody reads any more', async () => {
    await using server = await startProviderServer({ script: [hang] })
    const world = start(['chat', 'Why?', '--base-url', server.url, '--model', 'm'])
    await world.shows('Half')
    world.breakOutput()
    expect(await world.exitCode).toBe(1)
  })
})
