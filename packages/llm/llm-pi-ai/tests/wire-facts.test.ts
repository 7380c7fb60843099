import { describe, expect, it } from 'vitest'
import { WireFacts } from '../src/wire-facts.ts'

describe('WireFacts', () => {
  it('finds the digits of a call behind calls that pi-ai left out', () => {
    const facts = new WireFacts()
    for (const args of ['{"a":1}', '{"b":12345678901234567890}', '{"c":1.0}'])
      facts.seeText(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":${args}}}]}}]}`)
    expect(facts.takeCallText('{"x":1}')).toBe('{"x":1}')
    expect(facts.takeCallText('{"b":12345678901234567000}')).toBe('{"b":12345678901234567890}')
    expect(facts.takeCallText('{"c":1}')).toBe('{"c":1.0}')
  })
})
