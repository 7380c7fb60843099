import { createDialect, type Dialect } from '../dialect.ts'

/**
 * xAI. Sources: traffic recorded by `rig` and `vercel/ai` (August 2026). `completion_tokens` leaves reasoning out, and no
 * `finish_reason` key is there until the end.
 */
export const xai: Dialect = createDialect({
  name: 'xai',
  request: { maxStops: 4 },
  response: {
    reasoningFields: ['reasoning_content'],
    keepsReplayState: false,
    outputCount: 'completion-plus-reasoning',
    requestIdHeaders: ['x-request-id', 'cf-ray'],
  },
})
