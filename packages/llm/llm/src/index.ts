export { HarnessError, isHarnessError } from 'dsh-context'
export { ALL_OPTIONS } from './all-options.ts'
export { DEFAULT_OPTIONS, LlmAdapter, type AdapterRequest, type OptionName } from './adapter.ts'
export { abortable, abortError } from './abort.ts'
export { BlockAssembler, type BlockAssemblerOptions, type VoidAttempt } from './assembler.ts'
export { assertNever } from './assert-never.ts'
export { APP_IDENTITY, type AppIdentity, attributionHeaders, userAgent } from './attribution.ts'
export { callConfigEquals, type LlmCallConfig, toCallConfig } from './call-config.ts'
export type {
  ContentBlock,
  ContentBlockMap,
  ContentBlockOf,
  ContentBlockType,
  ReasoningBlock,
  TextBlock,
  ToolCallBlock,
  ToolResultBlock,
} from './content.ts'
export { type Clock, isClock, systemClock } from './clock.ts'
export { type ApiKeyOptions, type ApiKeySource, requireApiKey, resolveApiKey } from './credentials.ts'
export { deepFreeze } from './deep-freeze.ts'
export { errorChain, isLlmError, LlmError, type LlmErrorOptions } from './error.ts'
export { createFailure, type FailureFacts } from './failure-facts.ts'
export { isRawNumber, parseExactly } from './exact-json.ts'
export { checkHistory } from './history.ts'
export { type Branded, CallId, MessageId, ProviderRequestId, ReasoningEffortId, SessionId } from './ids.ts'
export type { JsonObject, JsonValue } from './json.ts'
export { isJsonText } from './json-text.ts'
export type {
  LlmModelInfo,
  LlmProviderInfo,
  LlmResolvedModelInfo,
  ModelPrice,
  ReasoningEffortInfo,
  RetryPolicy,
} from './model-info.ts'
export {
  createAssistantMessage,
  createMessage,
  createToolResultMessage,
  createUserMessage,
  freezeMessage,
  type MessageContent,
  type MessageInput,
  type ToolResultInput,
  type UserMessageOptions,
} from './message.ts'
export { normaliseFailure } from './normalise-failure.ts'
export { codeOfStatus } from './status-code.ts'
export type {
  AttemptChunk,
  BlockEndChunk,
  BlockStartChunk,
  FinishChunk,
  FinishReason,
  FinishReasonMap,
  GenerateOptions,
  LlmFailure,
  Message,
  MessageRole,
  MessageSource,
  MessageSourceMap,
  ProviderOptionsMap,
  ReasoningDeltaChunk,
  ReplayEnvelope,
  ResponseFormat,
  ResponseInfo,
  StreamChunk,
  TextDeltaChunk,
  TokenUsage,
  ToolCallDeltaChunk,
  ToolChoice,
  ToolSchema,
  UsageChunk,
} from './types.ts'
export {
  ChunkWriter,
  type ChunkWriterOptions,
  type FinishFacts,
  type PlainFinishKind,
  type ToolCallPiece,
} from './chunk-writer.ts'
export { collect, type CollectedAnswer } from './collect.ts'
export { createLlm, type CreateLlmOptions, type Llm, type PluginUse, use } from './create-llm.ts'
export { canonicalRequest, type FingerprintOptions, requestFingerprint } from './fingerprint.ts'
export { Grammar, type GrammarFault } from './grammar.ts'
export { FinishOutcome } from './finish-outcome.ts'
export { type CommitPoint } from './commit-rule.ts'
export { type FailedRun, type Rerun, type RerunOptions, rerunStream } from './rerun-stream.ts'
export { parsePathRule, type PathRule, rulesBelow } from './path-rule.ts'
export { StreamPriority } from './priority.ts'
export { repairHistory } from './repair-history.ts'
export { withoutReplayState } from './replay-state.ts'
export { type AdapterRegistrationHandle, LlmRuntime } from './runtime.ts'
export type { LlmRuntimeConfig } from './runtime-config.ts'
export { type ChunkObserver, tapStream } from './tap-stream.ts'
