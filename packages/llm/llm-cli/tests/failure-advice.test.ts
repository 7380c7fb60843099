import { createFailure } from 'dsh-llm'
import { describe, expect, it } from 'vitest'
import { describeFailure } from '../src/failure-advice.ts'

describe('describeFailure', () => {
  it('gives code, message, facts, and what to do', () => {
    const failure = createFailure('Too many requests', 'RATE_LIMIT', {
      status: 429,
      requestId: 'r1',
      providerRetryAfterMs: 1_200,
    })
    expect(describeFailure(failure)).toBe(
      'RATE_LIMIT: Too many requests (status 429, request r1, the provider asks for 2 s)\nWait a moment, then ask again',
    )
  })

  it.each([
    ['AUTH', 'API key'],
    ['MISSING_CREDENTIAL', 'DEEPSEEK_API_KEY'],
    ['NOT_FOUND', '--base-url'],
    ['TRANSPORT', 'server runs'],
    ['HTTP_418', 'report the code'],
    ['constructor', 'report the code'],
  ])('has advice for %s', (code, words) => {
    expect(describeFailure(createFailure('No', code)).split('\n')[1]).toContain(words)
  })

  it('stays on two lines and obeys no control character, whatever the provider says', () => {
    const shown = describeFailure(createFailure('a\nb\u001b[2J\r', 'SERVER'))
    expect(shown.split('\n')).toHaveLength(2)
    expect(shown).not.toMatch(/[\p{Cc}--\n]/v)
  })
})
