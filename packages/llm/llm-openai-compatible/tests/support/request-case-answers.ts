import { expect } from 'vitest'
import type { DialectName } from '../../src/dialects.ts'
import type { WireMessage } from '../../src/wire-request.ts'

/** A request as a handed case writes it. */
export interface CaseOptions {
  readonly model?: string
  readonly system?: string
  readonly maxTokens?: number
  readonly profile?: DialectName
  readonly compat?: { readonly toolCallIdFormat?: string; readonly supportsUsageInStreaming?: boolean }
  readonly toolChoice?: { readonly name: string }
  readonly tools?: readonly { readonly name: string; readonly parameters: { readonly type: string } }[]
  readonly messages?: readonly {
    readonly role: string
    readonly toolCallId?: string
    readonly content: readonly object[]
  }[]
  /** Several requests in one case. */
  readonly cases?: readonly CaseOptions[]
}

export interface SentRequest {
  /** Absent if nothing was sent. */
  readonly body: (Record<string, unknown> & { readonly messages: readonly WireMessage[] }) | undefined
  readonly code: string | undefined
}

type Check = (sent: SentRequest, options: CaseOptions) => void

const messagesOf = ({ body }: SentRequest): readonly WireMessage[] => body?.messages ?? []

function idsOf(sent: SentRequest): { readonly calls: readonly string[]; readonly results: readonly string[] } {
  return {
    calls: messagesOf(sent).flatMap((each) =>
      each.role === 'assistant' ? (each.tool_calls ?? []).map(({ id }) => id) : [],
    ),
    results: messagesOf(sent).flatMap((each) => (each.role === 'tool' ? [each.tool_call_id] : [])),
  }
}

function expectPairedIds(sent: SentRequest, legal: RegExp): readonly string[] {
  const { calls, results } = idsOf(sent)
  expect(calls.length).toBeGreaterThan(0)
  expect(results).toEqual(calls)
  expect(new Set(calls).size).toBe(calls.length)
  for (const id of calls) expect(id).toMatch(legal)
  return calls
}

/** What must be true of the request of each case that speaks of one. */
export const answers: Readonly<Record<string, Check>> = {
  'ds-echo-reasoning-on-tool-turn': (sent) => {
    const call = { id: 'call_1', type: 'function', function: { name: 'clock', arguments: '{}' } }
    expect(messagesOf(sent).slice(1)).toEqual([
      { role: 'assistant', content: '', reasoning_content: 'use clock', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'nine' },
    ])
  },
  'ds-echo-keeps-empty-reasoning': (sent) =>
    expect(messagesOf(sent)[1]).toHaveProperty('reasoning_content', ''),
  'ds-no-echo-to-other-providers': (sent) =>
    expect(messagesOf(sent)[1]).toEqual({ role: 'assistant', content: 'It is nine' }),
  'ds-forced-tool-choice-thinking': (sent) =>
    expect(sent).toEqual({ body: undefined, code: 'INVALID_REQUEST' }),
  'ds-flatten-content-arrays': (sent) =>
    expect(messagesOf(sent).map(({ content }) => content)).toEqual(['a\n\nb', '', 'x\n\ny']),
  'ds-image-part': (sent) => expect(sent).toEqual({ body: undefined, code: 'UNSUPPORTED_CONTENT' }),
  'ds-system-not-first': (sent) =>
    expect(messagesOf(sent).map(({ role, content }) => `${role} ${content}`)).toEqual([
      'system S1',
      'user a',
      'user S2',
      'user b',
    ]),
  'ds-developer-role': (sent) => expect(messagesOf(sent)[0]).toEqual({ role: 'system', content: 'rules' }),
  'ds-tool-turn-needs-content-key': (sent) => expect(messagesOf(sent)[1]).toHaveProperty('content', ''),
  'tc-duplicate-ids-across-turns': (sent) => expect(expectPairedIds(sent, /^[\w-]{1,64}$/)[0]).toBe('call_0'),
  'req-orphan-tool-result': (sent) => expect(sent).toEqual({ body: undefined, code: 'INVALID_HISTORY' }),
  // The assembler never puts a cut call into a message; one made by hand is refused with its id.
  'req-aborted-partial-call-in-history': (sent) =>
    expect(sent).toEqual({ body: undefined, code: 'INVALID_HISTORY' }),
  'req-tool-id-too-long': (sent) => expectPairedIds(sent, /^[A-Za-z0-9_-]{1,64}$/),
  'req-tool-id-nine-chars': (sent) => expectPairedIds(sent, /^[A-Za-z0-9]{9}$/),
  'req-tool-name-charset-length': ({ body }) => {
    const tools = (body?.['tools'] ?? []) as readonly { readonly function: { readonly name: string } }[]
    const names = tools.map((tool) => tool.function.name)
    expect(new Set(names).size).toBe(3)
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
  },
  'req-max-tokens-field': ({ body }, { profile, maxTokens }) => {
    const field = profile === 'openai' ? 'max_completion_tokens' : 'max_tokens'
    const given = Object.entries(body ?? {}).filter(([name]) => name.startsWith('max'))
    expect(given).toEqual(maxTokens === undefined ? [] : [[field, maxTokens]])
  },
  'req-stream-options-optional': ({ body }) => {
    expect(body).toHaveProperty('stream', true)
    expect(body).not.toHaveProperty('stream_options')
  },
  'req-options-not-mutated': (sent) => expectPairedIds(sent, /^[A-Za-z0-9_-]{1,64}$/),
}
