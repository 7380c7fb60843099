import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { Output } from '../src/output.ts'

function terminal(): PassThrough {
  return Object.assign(new PassThrough(), { isTTY: true })
}

describe('Output.colours', () => {
  it.each([
    ['a terminal', terminal(), {}, true],
    ['a terminal with an empty NO_COLOR', terminal(), { NO_COLOR: '' }, true],
    ['a terminal with NO_COLOR', terminal(), { NO_COLOR: '1' }, false],
    ['a dumb terminal', terminal(), { TERM: 'dumb' }, false],
    ['a pipe', new PassThrough(), {}, false],
  ])('on %s', (_, stream, env, isColoured) => {
    expect(new Output(stream, env).colours.isColorSupported).toBe(isColoured)
  })
})

describe('Output', () => {
  it('waits for a reader that is behind, and only then', async () => {
    const stream = new PassThrough({ highWaterMark: 4 })
    const output = new Output(stream, {})
    output.write('ab')
    expect(output.drained()).toBeUndefined()
    output.write('cdef')
    const drained = output.drained()
    expect(drained).toBeInstanceOf(Promise)
    stream.resume()
    await drained
  })

  it('survives a reader that leaves, tells so, and swallows what is written then', async () => {
    const failing = new Writable({
      highWaterMark: 1,
      write: (_piece, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    })
    const output = new Output(failing, {})
    output.write('ab')
    await output.drained()
    await output.closed
    output.write('more')
    expect(output.drained()).toBeUndefined()
  })
})
