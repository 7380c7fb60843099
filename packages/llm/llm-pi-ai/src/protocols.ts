import type { Protocols } from './protocol.ts'
import { anthropicMessages } from './protocols/anthropic-messages.ts'
import { bedrock } from './protocols/bedrock.ts'
import { google, googleVertex } from './protocols/google.ts'
import { mistral } from './protocols/mistral.ts'
import { openaiCompletions } from './protocols/openai-completions.ts'
import { azureResponses, openaiResponses } from './protocols/openai-responses.ts'

/** Every API that is spoken. */
export const protocols: Protocols = Object.freeze({
  'openai-completions': openaiCompletions,
  'openai-responses': openaiResponses,
  'azure-openai-responses': azureResponses,
  'anthropic-messages': anthropicMessages,
  'google-generative-ai': google,
  'google-vertex': googleVertex,
  'mistral-conversations': mistral,
  'bedrock-converse-stream': bedrock,
})
