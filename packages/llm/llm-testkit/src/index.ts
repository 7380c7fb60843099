export { jsonAnswer } from './server/answer.ts'
export type {
  Answer,
  AnswerChunk,
  AnswerChunks,
  AnswerEnd,
  Script,
  ScriptFunction,
  ScriptStep,
} from './server/answer.ts'
export { startProviderServer } from './server/provider-server.ts'
export type { ProviderServer, ProviderServerOptions } from './server/provider-server.ts'
export type { ReceivedRequest, RequestFacts, RequestState, SocketEnd } from './server/received-request.ts'
export type { Scripts } from './server/script-reader.ts'
export type { Sleep } from './server/send-answer.ts'

export { anthropicDialect } from './wire/anthropic-dialect.ts'
export type { AnthropicDialect } from './wire/anthropic-dialect.ts'
export { anthropicMessages } from './wire/anthropic-messages.ts'
export { chatCompletions } from './wire/chat-completions.ts'
export { deepseekDialect, openaiDialect } from './wire/chat-dialect.ts'
export type { ChatDialect } from './wire/chat-dialect.ts'
export { type ChatDialectName, chatDialects } from './wire/chat-dialects.ts'
export { cutBytes, cutEvery } from './wire/cut-bytes.ts'
export { geminiDialect } from './wire/gemini-dialect.ts'
export type { GeminiDialect } from './wire/gemini-dialect.ts'
export { gemini } from './wire/gemini.ts'
export { toPieces } from './wire/neutral-answer.ts'
export type { NeutralAnswer, NeutralCall, NeutralError, NeutralUsage } from './wire/neutral-answer.ts'
export { openaiResponses } from './wire/openai-responses.ts'
export { responsesDialect } from './wire/responses-dialect.ts'
export type { ResponsesDialect } from './wire/responses-dialect.ts'
export { namedSseFrames, sseComment, sseFrames } from './wire/sse-frames.ts'
export type { NamedEvent, SseFraming } from './wire/sse-frames.ts'

export { type FakeClock, fakeClock } from './clock/fake-clock.ts'

export { ScriptedAdapter } from './scripted/scripted-adapter.ts'
export type { ScriptedAdapterOptions } from './scripted/scripted-adapter.ts'
export type {
  ScriptedAnswer,
  ScriptedChunks,
  ScriptedFunction,
  ScriptedPace,
  ScriptedScript,
  ScriptedStep,
} from './scripted/scripted-answer.ts'

export { collectChunks } from './stream/collect-chunks.ts'
export { expectGrammar, GrammarError } from './stream/expect-grammar.ts'
export type { GrammarOptions } from './stream/find-grammar-fault.ts'

export { adapterContract } from './contract/adapter-contract.ts'
export type { ContractCheck } from './contract/adapter-contract.ts'
export { ContractError } from './contract/contract-rules.ts'
export type {
  AdapterConnection,
  ContractFeature,
  ContractSetup,
  InProcessContractSetup,
  ReplayExpectation,
  WireContractSetup,
} from './contract/contract-setup.ts'

export { deepseekResponder } from './deepseek/deepseek-responder.ts'
export type { DeepseekResponderOptions } from './deepseek/deepseek-responder.ts'
