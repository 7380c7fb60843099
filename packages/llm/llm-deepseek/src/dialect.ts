import { type JsonObject, LlmError } from 'dsh-llm'
import { createDialect, type Dialect, dialects, type RequestRules } from 'dsh-llm-openai-compatible'
import { EFFORTS, MAX_OUTPUT_TOKENS } from './models.ts'
import { readDeepSeekOptions } from './provider-options.ts'

const { request, response } = dialects.deepseek

/** The wire of the `deepseek` preset, with the options and bounds of DeepSeek's own endpoint. */
export const deepSeekDialect: Dialect = createDialect({
  name: 'deepseek',
  request: { ...request, effortFields, findConflict, readProviderOptions: readDeepSeekOptions },
  response,
})

/** Checked here as well, since nothing is known about a model that the configuration does not list. */
function effortFields(effort: string): JsonObject {
  if (EFFORTS.some(({ id }) => id === effort)) return request.effortFields(effort)
  const known = EFFORTS.map(({ id }) => id).join(', ')
  const message = `DeepSeek has no reasoning effort "${effort.slice(0, 100)}", choose one of ${known}`
  throw new LlmError(message, 'UNSUPPORTED_REASONING_EFFORT')
}

function findConflict(body: Parameters<RequestRules['findConflict']>[0]): string | undefined {
  const limit = body['max_tokens']
  if (typeof limit === 'number' && !(limit >= 1 && limit <= MAX_OUTPUT_TOKENS)) {
    return `maxTokens is ${limit}, DeepSeek takes 1 to ${MAX_OUTPUT_TOKENS}`
  }
  return request.findConflict(body)
}
