import { abortError, type AdapterRequest, LlmError, resolveApiKey } from 'dsh-llm'
import { type AnswerSource, planToolNames } from 'dsh-llm-openai-compatible'
import { openBelow } from './below.ts'
import { assertCarried } from './carried.ts'
import { isThinking } from './effort.ts'
import { type OpenPiStream, openPiStream, type PiEvent } from './pi-api.ts'
import { PiEvents } from './pi-events.ts'
import type { Ask } from './protocol.ts'
import { protocols } from './protocols.ts'
import { readPiAiOptions } from './provider-options.ts'
import { toPiOptions } from './request-options.ts'
import type { PiAiRoute } from './route.ts'
import { toConversation } from './to-context.ts'
import { assertAddress } from './to-pi-model.ts'
import { PiTranslator } from './translate.ts'
import { WireFacts } from './wire-facts.ts'

/** One call, before anything of it was done. Its signal ends with the reader, too. */
export interface CallSetup {
  readonly request: AdapterRequest
  readonly route: PiAiRoute
  readonly signal: AbortSignal
}

/** All the APIs refuse longer ones. */
const maxToolNameLength = 64

/** The call, told in order: find the model, check and write the request, get the key, send, read. */
export async function openCall(
  { request, route, signal }: CallSetup,
  openStream: OpenPiStream = openPiStream,
): Promise<AnswerSource<PiEvent>> {
  if (signal.aborted) throw abortError(signal)
  const own = readPiAiOptions(request)
  const known = (await route.findModel(request.model)).pi
  // Who asks for thinking knows that the model can; pi-ai would drop it where no catalogue says so.
  const model = isThinking({ request, own }) && !known.reasoning ? { ...known, reasoning: true } : known
  assertAddress(model, route.name)
  const protocol = protocols[model.api]
  const toolNames = planToolNames(request.tools, maxToolNameLength)
  const { context, argumentTexts, callIds } = toConversation(request, { model, protocol, toolNames })
  const toolChoice = renamed(request.toolChoice, toolNames.toWire)
  const ask: Ask = { request, model, own, toolChoice, argumentTexts }
  assertCarried(ask, protocol)
  const apiKey = route.hasKey ? await resolveApiKey(route.keySource) : undefined
  assertNoDisguise(apiKey, route.name)
  if (signal.aborted) throw abortError(signal)
  const call = followed(signal)
  const facts = new WireFacts(protocol.watch)
  const below = openBelow({ ask, protocol, config: route.config, apiKey, facts, signal: call.signal })
  // Ours come last: neither the config nor the environment changes what a call is.
  const options = {
    ...protocol.toDefaults?.(model),
    ...route.config.options,
    ...toPiOptions(ask, protocol),
    ...below.options,
  }
  const translator = new PiTranslator({
    provider: request.provider,
    model,
    protocol,
    facts,
    below,
    toolName: toolNames.toOriginal,
    usedCallIds: callIds,
  })
  try {
    const events = await openStream({ model, context, options })
    return { stream: new PiEvents(events, below, call), translator }
  } catch (error) {
    below.close()
    call.abort()
    throw error
  }
}

/** With a token of a subscription pi-ai would speak as another program, under prompts and tool names of its own. */
function assertNoDisguise(apiKey: string | undefined, route: string): void {
  if (apiKey?.includes('sk-ant-oat') !== true) return
  throw new LlmError(
    `apiKey of provider "${route}" is the token of a subscription, which belongs to another program; use an API key`,
    'INVALID_CREDENTIAL',
  )
}

function renamed(choice: AdapterRequest['toolChoice'], toWire: (name: string) => string): Ask['toolChoice'] {
  return typeof choice === 'object' ? { name: toWire(choice.name) } : choice
}

/** SDKs leave listeners on the signal they are given, so they get one that lives as long as the call; not yet aborted. */
function followed(signal: AbortSignal): AbortController {
  const call = new AbortController()
  signal.addEventListener('abort', () => call.abort(signal.reason), { once: true, signal: call.signal })
  return call
}
