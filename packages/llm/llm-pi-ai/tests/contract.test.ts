import type { JsonObject } from 'dsh-llm'
import {
  anthropicMessages,
  chatCompletions,
  gemini,
  jsonAnswer,
  type NeutralAnswer,
  openaiResponses,
  type ReceivedRequest,
} from 'dsh-llm-testkit'
import { adapterContract } from 'dsh-llm-testkit/vitest'
import { PiAiAdapter, type PiAiProviderConfig } from '../src/index.ts'

/** One route that is declared whole, at a server of the contract. */
function createAdapter(config: PiAiProviderConfig): PiAiAdapter {
  const models = [{ id: 'contract-model', reasoning: true, maxTokens: 4096 }]
  return new PiAiAdapter({ providers: { contract: { models, ...config } } })
}

const sample = (extraBody: JsonObject) => ({
  providerOptions: { providerOptions: { piAi: { extraBody } } },
})

/** An answer that thinks, speaks and calls, so that there is something to keep of each. */
const whole: NeutralAnswer = {
  reasoning: 'Let me see',
  text: 'Looking',
  calls: [{ id: 'call_1', name: 'look', arguments: '{"a":1}' }],
}
const has =
  (...texts: readonly string[]) =>
  ({ body }: ReceivedRequest): boolean =>
    texts.every((text) => body.includes(text))

adapterContract('PiAiAdapter over openai-completions', {
  createAdapter: ({ url, ...connection }) =>
    createAdapter({ ...connection, api: 'openai-completions', baseURL: `${url}/v1` }),
  render: (answer) => ({ chunks: chatCompletions(answer) }),
  requestIdHeader: 'x-request-id',
  optionSamples: sample({ top_k: 5 }),
  replayState: {
    answer: { chunks: chatCompletions(whole) },
    comesBack: has('"reasoning_content":"Let me see"'),
  },
})

adapterContract('PiAiAdapter over openai-responses', {
  createAdapter: ({ url, ...connection }) =>
    createAdapter({ ...connection, api: 'openai-responses', baseURL: `${url}/v1` }),
  // Its last events repeat the whole text, which OpenAI's SDK puts together piece by piece.
  patienceMs: 20_000,
  render: (answer) => ({ chunks: openaiResponses(answer) }),
  requestIdHeader: 'x-request-id',
  optionSamples: sample({ max_tool_calls: 5 }),
  replayState: {
    answer: { chunks: openaiResponses(whole, { encryptedContent: 'ENC+/=' }) },
    comesBack: has('"encrypted_content":"ENC+/="', '"id":"msg_', '"id":"fc_'),
    rejection: jsonAnswer(
      {
        error: { message: 'The encrypted_content for item rs_1 is invalid', code: 'invalid_encrypted_content' },
      },
      { status: 400 },
    ),
  },
})

adapterContract('PiAiAdapter over anthropic-messages', {
  createAdapter: ({ url, ...connection }) =>
    createAdapter({ ...connection, api: 'anthropic-messages', baseURL: url }),
  render: (answer) => ({ chunks: anthropicMessages(answer) }),
  renderError: (message) => JSON.stringify({ type: 'error', error: { type: 'api_error', message } }),
  requestIdHeader: 'request-id',
  optionSamples: {
    ...sample({ top_k: 5 }),
    responseFormat: { responseFormat: { type: 'json', schema: { type: 'object' } } },
  },
  replayState: {
    answer: { chunks: anthropicMessages(whole, { signature: 'SIG+/=', redacted: 'b3BhcXVl' }) },
    comesBack: has('"signature":"SIG+/="', '"data":"b3BhcXVl"'),
    rejection: jsonAnswer(
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'Invalid `signature` in `thinking` block' },
      },
      { status: 400 },
    ),
  },
})

adapterContract('PiAiAdapter over google-generative-ai', {
  createAdapter: ({ url, ...connection }) =>
    createAdapter({ ...connection, api: 'google-generative-ai', baseURL: `${url}/v1beta` }),
  render: (answer) => ({ chunks: gemini(answer) }),
  renderError: (message) => JSON.stringify({ error: { code: 500, message, status: 'INTERNAL' } }),
  model: 'gemini-3-contract',
  optionSamples: sample({ generationConfig: { topK: 5 } }),
  lacks: ['end-marker', 'cache-write-usage', 'argument-text'],
  replayState: {
    answer: { chunks: gemini(whole, { thoughtSignatures: { call: 'c2lnMQ==', text: 'c2lnMg==' } }) },
    comesBack: has('"thoughtSignature":"c2lnMQ=="', '"thoughtSignature":"c2lnMg=="'),
  },
})
