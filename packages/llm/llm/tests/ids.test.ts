import { describe, expect, it } from 'vitest'
import { CallId, MessageId, ProviderRequestId, ReasoningEffortId, SessionId } from '../src/index.ts'
import { mintCallId, mintMessageId } from '../src/mint-id.ts'

describe('id makers', () => {
  it.each([
    ['MessageId', MessageId],
    ['CallId', CallId],
    ['SessionId', SessionId],
    ['ReasoningEffortId', ReasoningEffortId],
    ['ProviderRequestId', ProviderRequestId],
  ])('%s gives the text back unchanged', (_name, make) => {
    expect(make(' any text ')).toBe(' any text ')
  })
})

describe('minted ids', () => {
  it('never repeat and say what they name', () => {
    expect(mintMessageId()).toMatch(/^msg_[0-9a-f-]{36}$/)
    expect(mintCallId()).toMatch(/^call_[0-9a-f-]{36}$/)
    expect(mintCallId()).not.toBe(mintCallId())
  })
})
