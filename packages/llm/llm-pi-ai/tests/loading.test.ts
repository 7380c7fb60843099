import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

describe('pi-ai', () => {
  it('is imported when a model is called, and only the protocol that it speaks', () => {
    const script = fileURLToPath(new URL('support/list-imports.ts', import.meta.url))
    const output = execFileSync(process.execPath, ['--conditions=dsh-source', script], { encoding: 'utf8' })
    const { whenLoaded, whenCalled, code } = JSON.parse(output)
    expect(whenLoaded).toEqual([])
    expect(whenCalled).toEqual(
      expect.arrayContaining([
        '@earendil-works/pi-ai/providers/anthropic.models',
        '@earendil-works/pi-ai/api/anthropic-messages',
      ]),
    )
    expect(whenCalled.join()).not.toMatch(/google|bedrock|openai|providers\/all/)
    expect(code).toBe('TRANSPORT')
  })
})
