import { describe, expect, it } from 'vitest'
import { sseComment, sseFrames } from '../../src/index.ts'

describe('sseFrames', () => {
  it('keeps the lines of a recording byte for byte and adds the end marker', () => {
    const recording = '{"a":  1}\r\n\n{"b":"\\u00e4"}\n'
    expect(sseFrames(recording)).toEqual([
      'data: {"a":  1}\n\n',
      'data: {"b":"\\u00e4"}\n\n',
      'data: [DONE]\n\n',
    ])
  })

  it('writes values as JSON and strings as they are', () => {
    expect(sseFrames([{ a: 1 }, 'plain'], { done: false })).toEqual(['data: {"a":1}\n\n', 'data: plain\n\n'])
  })

  it.each(['\n', '\r\n', '\r'] as const)('ends its lines with %j', (eol) => {
    expect(sseFrames([1], { eol })).toEqual([`data: 1${eol}${eol}`, `data: [DONE]${eol}${eol}`])
    expect(sseComment('keep-alive', { eol })).toBe(`: keep-alive${eol}${eol}`)
  })

  it('makes only the end marker of an empty recording', () => {
    expect(sseFrames('')).toEqual(['data: [DONE]\n\n'])
  })
})
