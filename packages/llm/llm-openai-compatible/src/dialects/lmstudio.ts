import { createDialect, type Dialect } from '../dialect.ts'

/**
 * LM Studio. Sources: issues lmstudio-ai/lmstudio-bug-tracker#314, #649, #723. Whether thoughts come as
 * `reasoning_content` or inside the text is a setting of the user's; marks inside the text stay text (agreed answer 7).
 */
export const lmstudio: Dialect = createDialect({
  name: 'lmstudio',
  request: { laterSystemRole: 'user', takesStrict: false },
  response: { keepsReplayState: false },
})
