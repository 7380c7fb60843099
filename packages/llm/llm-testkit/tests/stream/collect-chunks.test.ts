import { describe, expect, it } from 'vitest'
import { collectChunks, ScriptedAdapter } from '../../src/index.ts'

describe('collectChunks', () => {
  it('gives the chunks themselves and rejects with what the stream throws', async () => {
    const chunks = [{ type: 'usage', usage: {} }] as const
    const request = { provider: 'p', model: 'm', messages: [], signal: new AbortController().signal }
    const adapter = new ScriptedAdapter([chunks, { chunks, throws: new Error('gone') }])
    expect((await collectChunks(adapter.stream(request)))[0]).toBe(chunks[0])
    await expect(collectChunks(adapter.stream(request))).rejects.toThrow('gone')
  })
})
