import {
  type Answer,
  chatCompletions,
  chatDialects,
  jsonAnswer,
  type ReceivedRequest,
  sseFrames,
} from 'dsh-llm-testkit'
import { adapterContract } from 'dsh-llm-testkit/vitest'
import { type DialectName, dialects, OpenAiCompatibleAdapter } from '../src/index.ts'

const refusal = { error: { message: 'Invalid `signature` in `reasoning_details`', code: 400 } }

/** OpenRouter's reasoning details and Gemini's call signatures: what must come back with the turn that brought it. */
const signed: Answer = {
  chunks: sseFrames([
    delta({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'c2lnbmVk', index: 0 }] }),
    delta({ content: 'Looking' }),
    delta({
      tool_calls: [
        {
          index: 0,
          id: 'call_1',
          type: 'function',
          function: { name: 'look', arguments: '{}' },
          extra_content: { google: { thought_signature: 'c2lnbmVk' } },
        },
      ],
    }),
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  ]),
}

function delta(fields: object): object {
  return { choices: [{ index: 0, delta: fields, finish_reason: null }] }
}

function comesBack({ body }: ReceivedRequest): boolean {
  return body.includes('c2lnbmVk')
}

const replayState = { answer: signed, comesBack, rejection: jsonAnswer(refusal, { status: 400 }) }

for (const name of Object.keys(dialects) as DialectName[]) {
  const { request, response } = dialects[name]
  adapterContract(`OpenAiCompatibleAdapter as ${name}`, {
    createAdapter: ({ url, ...connection }) =>
      new OpenAiCompatibleAdapter({ baseURL: url, dialect: dialects[name], ...connection }),
    render: (answer) => ({ chunks: chatCompletions(answer, chatDialects[name]) }),
    requestIdHeader: response.requestIdHeaders === undefined ? 'x-request-id' : response.requestIdHeaders[0],
    replayState: request.echoesReplayState ? replayState : undefined,
    lacks: name === 'gemini' ? ['reasoning-usage'] : [],
    optionSamples: { providerOptions: { providerOptions: { openaiCompatible: { extraBody: { top_k: 5 } } } } },
  })
}
