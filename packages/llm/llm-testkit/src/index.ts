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

export { chatCompletions } from './wire/chat-completions.ts'
export { deepseekDialect, openaiDialect } from './wire/chat-dialect.ts'
export type { ChatDialect } from './wire/chat-dialect.ts'
export { cutBytes, cutEvery } from './wire/cut-bytes.ts'
export type { NeutralAnswer, NeutralCall, NeutralError, NeutralUsage } from './wire/neutral-answer.ts'
export { sseComment, sseFrames } from './wire/sse-frames.ts'
export type { SseFraming } from './wire/sse-frames.ts'

export { deepseekResponder } from './deepseek/deepseek-responder.ts'
export type { DeepseekResponderOptions } from './deepseek/deepseek-responder.ts'
