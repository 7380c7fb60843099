import { type ChatDialect, deepseekDialect, openaiDialect } from './chat-dialect.ts'

/** Presets by the names that `dsh-llm-openai-compatible` gives its dialects: what each server was seen to stream. */
export type ChatDialectName =
  | 'openai'
  | 'deepseek'
  | 'openrouter'
  | 'vllm'
  | 'ollama'
  | 'llama.cpp'
  | 'lmstudio'
  | 'groq'
  | 'mistral'
  | 'xai'
  | 'azure'
  | 'qwen'
  | 'moonshot'
  | 'gemini'
  | 'generic'

/** How each known server streams, for `chatCompletions`. */
export const chatDialects: Readonly<Record<ChatDialectName, ChatDialect>> = Object.freeze({
  openai: openaiDialect,
  deepseek: deepseekDialect,
  openrouter: like({ reasoningField: 'reasoning', usage: 'on-finish' }),
  vllm: like({ reasoningField: 'reasoning' }),
  ollama: like({ reasoningField: 'reasoning', calls: 'whole', callIndex: 'zero' }),
  'llama.cpp': openaiDialect,
  lmstudio: openaiDialect,
  groq: like({ reasoningField: 'reasoning', usage: 'on-finish', calls: 'whole' }),
  mistral: like({ reasoningField: 'content', usage: 'on-finish', calls: 'whole', callIndex: 'none' }),
  xai: like({ calls: 'whole', reasoningTokens: 'beside-completion' }),
  azure: openaiDialect,
  qwen: openaiDialect,
  moonshot: openaiDialect,
  gemini: like({ usage: 'on-finish', calls: 'whole', callIndex: 'none', reasoningTokens: 'total-only' }),
  generic: openaiDialect,
})

function like(differences: Partial<ChatDialect>): ChatDialect {
  return { ...openaiDialect, ...differences }
}
