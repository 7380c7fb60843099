import { createServer as createPlainServer, request as forward, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { postEventStream } from '../src/index.ts'
import { loopbackCertificate } from './fixtures/loopback-certificate.ts'
import { events, startLoopback } from './support/loopback-server.ts'
import { failureOf, readData } from './support/read-all.ts'

interface Proxy extends AsyncDisposable {
  readonly url: string
  /** What was asked of the proxy: method, target and credentials. */
  readonly seen: (readonly [string, string, string | undefined])[]
}

/** A real proxy: tunnels CONNECT and forwards plain requests. */
async function startProxy(refuseStatus?: number): Promise<Proxy> {
  const seen: (readonly [string, string, string | undefined])[] = []
  const server = createPlainServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming
    seen.push([method, url, headers['proxy-authorization']])
    incoming.pipe(
      forward(url, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(outgoing)
      }),
    )
  })
  server.on('connect', (request, client) => {
    seen.push(['CONNECT', request.url ?? '', request.headers['proxy-authorization']])
    client.on('error', () => {})
    if (refuseStatus !== undefined) {
      client.end(`HTTP/1.1 ${refuseStatus} No\r\n\r\n`)
      return
    }
    const target = connect(Number(request.url?.split(':').at(-1)), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      target.pipe(client)
      client.pipe(target)
    })
    target.on('error', () => client.destroy())
    client.on('close', () => target.destroy())
  })
  return { url: await listen(server), seen, [Symbol.asyncDispose]: () => stop(server) }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

const names = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'NODE_TLS_REJECT_UNAUTHORIZED',
]
let before: (string | undefined)[] = []

describe('node transport behind a proxy', () => {
  beforeEach(() => {
    before = names.map((name) => process.env[name])
    for (const name of names) delete process.env[name]
  })
  afterEach(() => {
    for (const [index, name] of names.entries()) {
      delete process.env[name]
      if (before[index] !== undefined) process.env[name] = before[index]
    }
  })

  it('tunnels https through CONNECT', async () => {
    const secure = createTlsServer(loopbackCertificate, (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: 1\n\n')
    })
    const { port } = new URL(await listen(secure))
    await using proxy = await startProxy()
    process.env['HTTPS_PROXY'] = proxy.url.replace('//', '//user:pass@')
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    const stream = await postEventStream({ url: `https://127.0.0.1:${port}/v1`, body: '{}' })
    expect(await readData(stream)).toEqual(['1'])
    expect(proxy.seen).toEqual([['CONNECT', `127.0.0.1:${port}`, `Basic ${btoa('user:pass')}`]])
    await stop(secure)
  })

  it('forwards http through HTTP_PROXY, streams side by side', async () => {
    await using server = await startLoopback(events('data: 1\n\n'))
    await using proxy = await startProxy()
    process.env['HTTP_PROXY'] = proxy.url
    const call = async () => readData(await postEventStream({ url: `${server.url}/v1`, body: '{}' }))
    expect((await Promise.all([call(), call(), call()])).flat()).toEqual(['1', '1', '1'])
    expect(proxy.seen).toEqual(Array.from({ length: 3 }, () => ['POST', `${server.url}/v1`, undefined]))
  })

  it.each(['127.0.0.1', '*', 'other.example, 127.0.0.1'])('goes around it for NO_PROXY %s', async (noProxy) => {
    await using server = await startLoopback(events('data: 1\n\n'))
    await using proxy = await startProxy()
    process.env['HTTP_PROXY'] = proxy.url
    process.env['NO_PROXY'] = noProxy
    expect(await readData(await postEventStream({ url: server.url, body: '{}' }))).toEqual(['1'])
    expect(proxy.seen).toEqual([])
  })

  it('fails with TRANSPORT, and without its password, when it refuses', async () => {
    await using proxy = await startProxy(502)
    process.env['HTTPS_PROXY'] = proxy.url.replace('//', '//user:SENTINEL@')
    const fault = await failureOf(postEventStream({ url: 'https://127.0.0.1:9/v1', body: '{}' }))
    expect(fault.code).toBe('TRANSPORT')
    expect(fault.message).not.toContain('SENTINEL')
  })

  it('is left when it refuses the credentials', async () => {
    const server = createPlainServer((_request, response) => response.writeHead(407).end())
    process.env['HTTP_PROXY'] = await listen(server)
    const fault = await failureOf(postEventStream({ url: 'http://h.example/v1', body: '{}' }))
    expect(fault.code).toBe('TRANSPORT')
    await stop(server)
  })
})
