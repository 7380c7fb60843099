/** A wire protocol of pi-ai that this package speaks, under pi-ai's name for it. */
export type ApiName =
  | 'openai-completions'
  | 'openai-responses'
  | 'azure-openai-responses'
  | 'anthropic-messages'
  | 'google-generative-ai'
  | 'google-vertex'
  | 'mistral-conversations'
  | 'bedrock-converse-stream'

/** All of them; the others of pi-ai need a session of an account, not a key. */
export const apiNames: readonly ApiName[] = Object.freeze([
  'openai-completions',
  'openai-responses',
  'azure-openai-responses',
  'anthropic-messages',
  'google-generative-ai',
  'google-vertex',
  'mistral-conversations',
  'bedrock-converse-stream',
])
