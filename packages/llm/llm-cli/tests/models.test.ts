import { jsonAnswer, startProviderServer } from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import { start } from './world.ts'

describe('models', () => {
  it('works without a key', async () => {
    const world = start(['models'])
    expect(await world.exitCode).toBe(0)
    expect(world.stdout()).toMatch(/^deepseek-flash +DeepSeek Flash\n/)
    expect(world.stderr()).toContain('embedded provider')
  })

  it('lists what a compatible server has, ids first and nothing that a terminal obeys', async () => {
    const list = jsonAnswer({ data: [{ id: 'm1' }, { id: 'longer', name: 'Long\u001b[2J' }] })
    await using server = await startProviderServer({ script: [list] })
    const world = start(['models', '--base-url', `${server.url}/v1`])
    expect(await world.exitCode).toBe(0)
    expect(server.requests[0]?.path).toBe('/v1/models')
    expect(world.stdout()).toBe('m1\nlonger  Long␛[2J\n')
  })

  it('says so when a server advertises none', async () => {
    await using server = await startProviderServer({ script: [jsonAnswer({ data: [] })] })
    const world = start(['models', '--base-url', server.url])
    expect(await world.exitCode).toBe(0)
    expect(world.stderr()).toContain('advertises no models')
  })

  it('explains a list that cannot be had and ends with 1', async () => {
    await using server = await startProviderServer({ script: [jsonAnswer({}, { status: 404 })] })
    const world = start(['models', '--base-url', server.url])
    expect(await world.exitCode).toBe(1)
    expect(world.stderr()).toMatch(/^NOT_FOUND: .*\nCheck --base-url/)
  })

  it('ends with 130 at Ctrl-C', async () => {
    await using server = await startProviderServer({ script: [{ raw: true, end: 'hang' }] })
    const world = start(['models', '--base-url', server.url])
    await server.waitForRequest()
    world.interrupt()
    expect(await world.exitCode).toBe(130)
    expect(world.stderr()).toBe('')
  })
})
