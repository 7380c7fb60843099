import { createDialect, type Dialect } from '../dialect.ts'

/**
 * Gemini through its OpenAI format. Sources: traffic recorded by `vercel/ai`, npm `@ai-sdk/google` 4.0.121 and its
 * documented bypass for calls of other models, npm `@earendil-works/pi-ai` 1.6.0. Signatures of calls must come back,
 * else Gemini 3 answers 400; `completion_tokens` leaves thinking out.
 */
export const gemini: Dialect = createDialect({
  name: 'gemini',
  request: {
    emptyContent: null,
    reasoningEcho: () => 'never',
    echoesReplayState: true,
    foreignCallFields: {
      extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } },
    },
    takesStrict: false,
  },
  response: { outputCount: 'total-minus-prompt', requestIdHeaders: [] },
})
