import { describe, expect, it } from 'vitest'
import { type Script, jsonAnswer, startProviderServer } from '../../src/index.ts'

async function bodies(script: Script, count: number): Promise<string[]> {
  await using server = await startProviderServer({ script })
  const texts: string[] = []
  for (let at = 0; at < count; at++) {
    const response = await fetch(server.url, { method: 'POST', body: `request ${at}` })
    texts.push(`${response.status} ${await response.text()}`)
  }
  return texts
}

describe('script', () => {
  it('serves the answers of an array in order', async () => {
    expect(await bodies([{ chunks: 'one' }, { status: 503, chunks: ['t', 'wo'] }], 2)).toEqual([
      '200 one',
      '503 two',
    ])
  })

  it('asks a function about every request', async () => {
    const echo: Script = (request, index) => ({ chunks: `${index}: ${request.body}` })
    expect(await bodies(echo, 2)).toEqual(['200 0: request 0', '200 1: request 1'])
  })

  it('lets an array mix answers and functions', async () => {
    const script: Script = [{ status: 429 }, async (request) => ({ chunks: request.body })]
    expect(await bodies(script, 2)).toEqual(['429 ', '200 request 1'])
  })

  it('answers 500 and says so when it is exhausted', async () => {
    const [, second] = await bodies([{ chunks: 'only' }], 2)
    expect(second).toContain('500 ')
    expect(second).toContain('The script is exhausted: it answers 1 and this is request 2; add an answer')
  })

  it('answers 500 with what a function threw and keeps it in the journal', async () => {
    const failure = new Error('no idea')
    await using server = await startProviderServer({
      script: () => {
        throw failure
      },
    })
    const response = await fetch(server.url)
    expect(response.status).toBe(500)
    expect(await response.text()).toContain('no idea')
    expect(server.requests[0]?.failure).toBe(failure)
  })
})

describe('routes', () => {
  it('are looked up by the path without its query, each counting for itself', async () => {
    await using server = await startProviderServer({
      script: [{ chunks: 'rest' }],
      routes: {
        '/v1/models': [jsonAnswer({ data: [] })],
        '/v1/chat': (_, index) => ({ chunks: `chat ${index}` }),
      },
    })
    const ask = async (path: string): Promise<string> => (await fetch(server.url + path)).text()
    expect(await ask('/v1/chat?beta=1')).toBe('chat 0')
    expect(await ask('/v1/models')).toBe('{"data":[]}')
    expect(await ask('/v1/chat')).toBe('chat 1')
    expect(await ask('/other')).toBe('rest')
    expect(server.requests.map((request) => request.answerIndex)).toEqual([0, 0, 1, 0])
  })

  it('are looked up by a function of the request, each counting for itself', async () => {
    await using server = await startProviderServer({
      routes: { a: [{ chunks: 'a 0' }, { chunks: 'a 1' }], b: [{ chunks: 'b 0' }] },
      routeOf: ({ headers }) => headers['x-test'] ?? 'none',
    })
    const ask = async (test: string): Promise<string> =>
      (await fetch(server.url, { headers: { 'x-test': test } })).text()
    expect([await ask('a'), await ask('b'), await ask('a')]).toEqual(['a 0', 'b 0', 'a 1'])
    expect(await ask('c')).toContain('No script serves the route c')
  })

  it('answer 500 when that function throws', async () => {
    const routeOf = (): never => {
      throw new Error('no key')
    }
    await using server = await startProviderServer({ routes: { a: [{}] }, routeOf })
    const response = await fetch(server.url)
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining('no key')])
  })

  it.each(['/missing', '/constructor', '//'])('answer 404 on %s, which no script serves', async (path) => {
    await using server = await startProviderServer({ routes: { '/v1/models': [] } })
    const response = await fetch(server.url + path)
    expect(response.status).toBe(404)
    expect(await response.text()).toContain(`No script serves the path ${path}`)
    expect(server.requests[0]?.answerIndex).toBe(-1)
  })
})
