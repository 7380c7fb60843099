import type { PluginObject } from 'dsh-context'
import { OpenAiCompatibleAdapter } from './adapter.ts'
import { configSchema, type OpenAiCompatibleConfig, resolveDialect } from './config.ts'

export { OpenAiCompatibleAdapter, type OpenAiCompatibleAdapterOptions } from './adapter.ts'
export { type AnswerEvents, type AnswerSource, AnswerStream, type AnswerTranslator } from './answer-stream.ts'
export { CallIdPool } from './call-id-pool.ts'
export { CallIdPlanner, type CallIdRules } from './call-ids.ts'
export {
  type ConnectionEntries,
  connectionEntries,
  type OpenAiCompatibleConfig,
  type ProviderConfig,
} from './config.ts'
export { httpAddress, models as declaredModels, plainObject, text as filledText } from './config-values.ts'
export { createDialect, type Dialect, type DialectParts } from './dialect.ts'
export { type DialectName, dialects } from './dialects.ts'
export { toHttpError, toInBandFailure } from './failure.ts'
export {
  defaultFinishReasons,
  type FinishMeaning,
  type FinishReasonTable,
  mapFinishReason,
} from './finish-reason.ts'
export type { DeclaredModel } from './models.ts'
export { assertKnownKeys, type OpenAiCompatibleOptions, type ProviderFields } from './provider-options.ts'
export { createRequestRules, type ReasoningEcho, type RequestRules } from './request-rules.ts'
export {
  createResponseRules,
  type InlineReasoning,
  type OutputCount,
  type ResponseRules,
} from './response-rules.ts'
export { serialize } from './serialize.ts'
export { planToolNames, type ToolNames } from './tool-names.ts'
export { Translator, type TranslatorOptions } from './translate.ts'

/** Registers one adapter per route, each with its own server, key and dialect. */
const openaiCompatible: PluginObject<OpenAiCompatibleConfig> = {
  name: 'openai-compatible',
  inject: ['llm'],
  Config: configSchema,
  apply(ctx, { providers }) {
    const { identity, clock } = ctx.llm
    for (const [route, { dialect, ...options }] of Object.entries(providers)) {
      const adapter = new OpenAiCompatibleAdapter({
        ...options,
        identity: options.identity ?? identity,
        clock: options.clock ?? clock,
        dialect: resolveDialect(dialect),
      })
      ctx.llm.registerAdapter([route], adapter)
    }
  },
}

export default openaiCompatible
