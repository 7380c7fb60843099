import { type GenerateOptions, type JsonObject, LlmError, type Message } from 'dsh-llm'
import type { Dialect } from './dialect.ts'
import { type EncodingProfile, profileOf } from './encoding-profile.ts'
import type { RequestRules } from './request-rules.ts'
import { planConversation, serializeStep } from './serialize-conversation.ts'
import { serializeFields } from './serialize-fields.ts'
import { planToolNames, type ToolNames } from './tool-names.ts'
import { wellFormed } from './well-formed.ts'
import type { WireMessage, WireRequest } from './wire-request.ts'

/** A request checked, with everything decided but its messages. */
export interface RequestPlan {
  readonly model: string
  readonly profile: EncodingProfile
  readonly names: ToolNames
  /** The body without `model` and `messages`. */
  readonly fields: JsonObject
  /** Put on the last wire message, which is then an assistant's. */
  readonly continuation: JsonObject | undefined
}

/**
 * The body of a request, a pure function of both arguments. What the server would refuse for certain fails here, with
 * `INVALID_REQUEST`, `UNSUPPORTED_OPTION` or `UNSUPPORTED_CONTENT`.
 */
export function serialize(request: GenerateOptions, dialect: Dialect): WireRequest {
  const plan = planRequest(request, dialect)
  const { lead, steps } = planConversation(request, plan)
  const messages = [...lead, ...steps.flatMap((step) => serializeStep(step, plan.profile))]
  return { model: plan.model, messages: continueLast(messages, plan), ...plan.fields }
}

/** Checks a request and decides names and all fields of its body but the messages. */
export function planRequest(request: GenerateOptions, { request: rules }: Dialect): RequestPlan {
  const provided = rules.readProviderOptions(request)
  const profile = profileOf(rules, request.provider, request.model)
  const names = planToolNames(request.tools, rules.maxToolNameLength)
  const fields = serializeFields(request, rules, { names, provided })
  const model = wellFormed(request.model)
  const conflict = rules.findConflict({ model, messages: [], ...fields })
  if (conflict !== undefined) throw new LlmError(conflict, 'INVALID_REQUEST')
  return {
    model,
    profile,
    names,
    fields,
    continuation: provided.continuesAnswer === true ? continuationOf(request, rules) : undefined,
  }
}

function continuationOf({ messages }: GenerateOptions, { continuationField }: RequestRules): JsonObject {
  if (continuationField === undefined) {
    throw new LlmError(
      'An answer cannot be continued: this server has no way to ask for it, leave the option out',
      'UNSUPPORTED_OPTION',
    )
  }
  const last = messages.at(-1)
  if (last?.role === 'assistant' && isContinuable(last)) return { [continuationField]: true }
  const message =
    'An answer can only be continued if the last message is an assistant message with text and without tool calls, add one'
  throw new LlmError(message, 'INVALID_REQUEST')
}

function isContinuable({ content }: Message): boolean {
  return (
    content.some((block) => block.type === 'text' && block.text !== '') &&
    content.every(({ type }) => type !== 'tool-call')
  )
}

function continueLast(messages: readonly WireMessage[], { continuation }: RequestPlan): readonly WireMessage[] {
  const last = messages.at(-1)
  if (continuation === undefined || last === undefined) return messages
  return [...messages.slice(0, -1), { ...last, ...continuation }]
}
