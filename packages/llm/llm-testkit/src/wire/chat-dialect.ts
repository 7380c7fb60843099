import type { SseFraming } from './sse-frames.ts'

/** How one Chat Completions server differs from another in what it streams. */
export interface ChatDialect extends SseFraming {
  /** The delta field of reasoning text; `content` means Mistral's thinking parts within it. */
  readonly reasoningField: string
  /** On the finish frame, in a frame of its own with empty `choices`, or never. */
  readonly usage: 'on-finish' | 'separate' | 'never'
  /** Names of the cache counters: `prompt_tokens_details` only, or DeepSeek's hit and miss beside it. */
  readonly cacheCounters: 'details' | 'hit-and-miss'
  /** Whether `completion_tokens` holds reasoning; `total-only` leaves out its own counter as well. */
  readonly reasoningTokens: 'in-completion' | 'beside-completion' | 'total-only'
  /** Whether calls come as a head and argument pieces, or each one whole in a single frame. */
  readonly calls: 'pieces' | 'whole'
  /** What stands at `index` of a call: its position, 0 for every call, or nothing. The latter two take whole calls. */
  readonly callIndex: 'position' | 'zero' | 'none'
  /** Whether a delta names `content` and the reasoning field with null while the other one speaks. */
  readonly explicitNulls: boolean
  /** What tool call ids begin with, given the position of the call. */
  readonly callIdPrefix: (position: number) => string
  readonly id: string
  readonly model: string
  /** Seconds since the epoch. */
  readonly created: number
}

/** DeepSeek's own API, thinking on if the answer has reasoning (an empty string counts), else off. */
export const deepseekDialect: ChatDialect = {
  reasoningField: 'reasoning_content',
  usage: 'on-finish',
  cacheCounters: 'hit-and-miss',
  reasoningTokens: 'in-completion',
  calls: 'pieces',
  callIndex: 'position',
  explicitNulls: true,
  callIdPrefix: (position) => `call_${String(position).padStart(2, '0')}_`,
  id: '3f1c0a52-6f0e-4c8e-9a55-2f5f0c9d7e11',
  model: 'deepseek-flash',
  created: 1_795_910_400,
}

/** OpenAI's shape, which most compatible servers follow; reasoning is sent as many of them do. */
export const openaiDialect: ChatDialect = {
  reasoningField: 'reasoning_content',
  usage: 'separate',
  cacheCounters: 'details',
  reasoningTokens: 'in-completion',
  calls: 'pieces',
  callIndex: 'position',
  explicitNulls: false,
  callIdPrefix: () => 'call_',
  id: 'chatcmpl-testkit',
  model: 'gpt-demo',
  created: 1_795_910_400,
}
