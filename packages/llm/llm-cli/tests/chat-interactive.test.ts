import { chatCompletions, jsonAnswer, startProviderServer } from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import { start } from './world.ts'

function say(text: string): { readonly chunks: readonly string[] } {
  return { chunks: chatCompletions({ text }) }
}

const hang = { chunks: chatCompletions({ text: ['Thinking about', ' it'] }).slice(0, 2), end: 'hang' } as const
const refusal = jsonAnswer({ error: { message: 'No' } }, { status: 403 })

describe('chat at a terminal without a prompt', () => {
  it('keeps the conversation from line to line, passes over blank ones, and ends with the input', async () => {
    await using server = await startProviderServer({ script: [say('First.'), say('Second.')] })
    const world = start(['chat', '--base-url', server.url, '--model', 'm', '--no-tools'], { tty: true })
    world.type('One?\n\n  \n')
    await world.shows('First.')
    world.type('Two?\n')
    await world.shows('Second.')
    world.type('\u0004')
    expect(await world.exitCode).toBe(0)
    expect(server.requests[1]?.json).toMatchObject({
      messages: [
        { role: 'user', content: 'One?' },
        { role: 'assistant', content: 'First.' },
        { role: 'user', content: 'Two?' },
      ],
    })
  })

  it('answers lines typed ahead one after the other', async () => {
    await using server = await startProviderServer({ script: [say('First.'), say('Second.')] })
    const world = start(['chat', '--base-url', server.url, '--model', 'm'], { tty: true })
    world.type('One?\nTwo?\n')
    await world.shows('Second.')
    world.endInput()
    expect(await world.exitCode).toBe(0)
    expect(server.requests).toHaveLength(2)
  })

  it('survives a failed answer and takes the question back', async () => {
    await using server = await startProviderServer({ script: [refusal, say('Now.')] })
    const world = start(['chat', '--base-url', server.url, '--model', 'm'], { tty: true })
    world.type('One?\n')
    await world.shows('error AUTH')
    world.type('Two?\n')
    await world.shows('Now.')
    world.endInput()
    expect(await world.exitCode).toBe(0)
    expect(server.requests[1]?.json).toMatchObject({ messages: [{ role: 'user', content: 'Two?' }] })
  })

  it('aborts the answer at Ctrl-C, keeps what came of it, and talks on', async () => {
    await using server = await startProviderServer({ script: [hang, say('Fine.')] })
    const world = start(['chat', '--base-url', server.url, '--model', 'm'], { tty: true })
    world.type('One?\n')
    await world.shows('Thinking about')
    world.type('\u0003')
    await world.shows('aborted')
    expect(await server.requests[0]?.closed).toMatchObject({ by: 'client' })
    world.type('Go on\n')
    await world.shows('Fine.')
    world.endInput()
    expect(await world.exitCode).toBe(0)
    expect(server.requests[1]?.json).toMatchObject({
      messages: [{ content: 'One?' }, { role: 'assistant', content: 'Thinking about' }, { content: 'Go on' }],
    })
  })

  it('quits with 130 at Ctrl-C when nothing runs', async () => {
    const world = start(['chat'], { tty: true })
    await world.shows('> ')
    world.type('\u0003')
    expect(await world.exitCode).toBe(130)
  })
})
