import { describe, expect, it, vi } from 'vitest'
import { createLlm, type LlmRuntimeConfig } from '../src/index.ts'

describe('LlmRuntimeConfig', () => {
  it.each([
    ['drainMs', { drainMs: -5 }],
    ['cleanupMs', { cleanupMs: Number.NaN }],
    ['drain', { drain: 1 } as LlmRuntimeConfig],
    ['product', { identity: { product: 'a b\n', version: '1' } }],
  ])('%s that cannot be used fails when the runtime loads', async (name, runtime) => {
    await expect(createLlm({ runtime })).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining(name) as string,
    })
  })
})

describe('createLlm that fails', () => {
  it('tells the failure once, by rejecting', async () => {
    const shown = vi.spyOn(console, 'error').mockImplementation(() => {})
    try {
      const plugins = [
        function broken(): void {
          throw new Error('no good')
        },
      ]
      await expect(createLlm({ plugins })).rejects.toThrow('no good')
      expect(shown).not.toHaveBeenCalled()
    } finally {
      shown.mockRestore()
    }
  })
})
