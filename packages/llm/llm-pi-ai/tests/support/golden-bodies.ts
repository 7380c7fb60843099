import { createAssistantMessage, createUserMessage, type Message } from 'dsh-llm'
import { called, type fourWires, illegal, look } from './requests-support.ts'

type GoldenWire = (typeof fourWires)[number]

/** What one API is sent. */
export interface GoldenBody {
  readonly rich: object
  /** The body of "hi" alone. */
  readonly plain: object
  /** What any JSON adds to it. */
  readonly anyJson?: object
  readonly emptyResult: RegExp
}

/** Turns of every kind: reasoning of another provider, calls, a result, a failed one. */
export function richHistory(): Message[] {
  const replayState = { response: { version: 1, api: 'other' }, blocks: [{ signature: 'FOREIGN' }, null] }
  const source = { kind: 'model', provider: 'other', model: 'other-1', replayState } as const
  const content = [
    { type: 'reasoning', text: 'Foreign thought' },
    { type: 'text', text: 'Looking' },
  ] as const
  return [
    createUserMessage('hi'),
    createAssistantMessage({ content, source }),
    createUserMessage('go on'),
    ...called(
      { id: 'call_1', name: illegal.name, arguments: '{"a":1}', result: 'one' },
      { id: 'call_2', result: 'bad' },
    ),
    createUserMessage('next'),
  ]
}

const wireName = 'files_read__k13ueqb3'
const schema = { type: 'object' }
const renamed = { ...illegal, name: wireName }

const chatTool = (tool: object): object => ({ type: 'function', function: tool })
const text = (value: string): object[] => [{ type: 'text', text: value }]
const inputText = (value: string): object[] => [{ type: 'input_text', text: value }]
const turn = (role: string, ...parts: object[]): object => ({ role, parts })

const chatPlain = {
  model: 'm1',
  messages: [{ role: 'user', content: text('hi') }],
  stream: true,
  stream_options: { include_usage: true },
  store: false,
}

const responsesPlain = {
  model: 'm1',
  input: [{ role: 'user', content: inputText('hi') }],
  stream: true,
  store: false,
  include: ['reasoning.encrypted_content'],
}

const anthropicPlain = {
  model: 'm1',
  messages: [{ role: 'user', content: text('hi') }],
  // The API insists on a bound, so the model's own is sent.
  max_tokens: 4096,
  stream: true,
}

export const goldenBodies: Readonly<Record<GoldenWire, GoldenBody>> = {
  'openai-completions': {
    plain: chatPlain,
    anyJson: { response_format: { type: 'json_object' } },
    emptyResult: /"role":"tool","content":"[^"]+"/,
    rich: {
      ...chatPlain,
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: text('hi') },
        { role: 'assistant', content: 'Looking' },
        { role: 'user', content: text('go on') },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: wireName, arguments: '{"a":1}' } },
            { id: 'call_2', type: 'function', function: { name: 'look', arguments: '{}' } },
          ],
        },
        { role: 'tool', content: 'one', tool_call_id: 'call_1' },
        { role: 'tool', content: 'bad', tool_call_id: 'call_2' },
        { role: 'user', content: text('next') },
      ],
      max_completion_tokens: 100,
      temperature: 0.5,
      top_p: 0.9,
      seed: 7,
      stop: ['X'],
      tools: [chatTool(look), chatTool(renamed)],
      tool_choice: chatTool({ name: wireName }),
      response_format: { type: 'json_schema', json_schema: { name: 'thing', schema } },
    },
  },
  'openai-responses': {
    plain: responsesPlain,
    anyJson: { text: { format: { type: 'json_object' } } },
    emptyResult: /"type":"function_call_output","call_id":"call_1","output":"[^"]+"/,
    rich: {
      ...responsesPlain,
      input: [
        { role: 'developer', content: 'Be brief' },
        { role: 'user', content: inputText('hi') },
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'Looking', annotations: [] }],
          status: 'completed',
          id: 'msg_pi_1',
        },
        { role: 'user', content: inputText('go on') },
        { type: 'function_call', call_id: 'call_1', name: wireName, arguments: '{"a":1}' },
        { type: 'function_call', call_id: 'call_2', name: 'look', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'one' },
        { type: 'function_call_output', call_id: 'call_2', output: 'bad' },
        { role: 'user', content: inputText('next') },
      ],
      max_output_tokens: 100,
      temperature: 0.5,
      top_p: 0.9,
      tools: [
        { type: 'function', ...look },
        { type: 'function', ...renamed },
      ],
      tool_choice: { type: 'function', name: wireName },
      text: { format: { type: 'json_schema', name: 'thing', schema } },
    },
  },
  'anthropic-messages': {
    plain: anthropicPlain,
    emptyResult: /"type":"tool_result","tool_use_id":"call_1","content":""/,
    rich: {
      ...anthropicPlain,
      system: text('Be brief'),
      messages: [
        { role: 'user', content: text('hi') },
        { role: 'assistant', content: text('Looking') },
        { role: 'user', content: text('go on') },
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 'call_1', name: wireName, input: { a: 1 } },
            { type: 'tool_use', id: 'call_2', name: 'look', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_1', content: 'one', is_error: false },
            { type: 'tool_result', tool_use_id: 'call_2', content: 'bad', is_error: false },
          ],
        },
        { role: 'user', content: text('next') },
      ],
      max_tokens: 100,
      temperature: 0.5,
      top_p: 0.9,
      stop_sequences: ['X'],
      tools: [look, renamed].map(({ name, description, parameters }) => ({
        name,
        description,
        eager_input_streaming: true,
        input_schema: { properties: {}, required: [], ...parameters },
      })),
      tool_choice: { type: 'tool', name: wireName },
      output_config: { format: { type: 'json_schema', schema } },
    },
  },
  'google-generative-ai': {
    plain: { contents: [turn('user', { text: 'hi' })], generationConfig: {} },
    anyJson: { generationConfig: { responseMimeType: 'application/json' } },
    emptyResult: /"functionResponse":\{"name":"look","response":\{"output":""\}\}/,
    rich: {
      systemInstruction: turn('user', { text: 'Be brief' }),
      contents: [
        turn('user', { text: 'hi' }),
        turn('model', { text: 'Looking' }),
        turn('user', { text: 'go on' }),
        turn(
          'model',
          { functionCall: { name: wireName, args: { a: 1 } } },
          { functionCall: { name: 'look', args: {} } },
        ),
        turn(
          'user',
          { functionResponse: { name: wireName, response: { output: 'one' } } },
          { functionResponse: { name: 'look', response: { output: 'bad' } } },
        ),
        turn('user', { text: 'next' }),
      ],
      tools: [
        {
          functionDeclarations: [look, renamed].map(({ name, description, parameters }) => ({
            name,
            description,
            parametersJsonSchema: parameters,
          })),
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [wireName] } },
      generationConfig: {
        temperature: 0.5,
        topP: 0.9,
        maxOutputTokens: 100,
        stopSequences: ['X'],
        seed: 7,
        responseMimeType: 'application/json',
        responseJsonSchema: schema,
      },
    },
  },
}

const mode = (name: string): object => ({ toolConfig: { functionCallingConfig: { mode: name } } })
type Choices = Readonly<Record<'auto' | 'none' | 'required', object>>
const words: Choices = {
  auto: { tool_choice: 'auto' },
  none: { tool_choice: 'none' },
  required: { tool_choice: 'required' },
}

export const goldenChoices: Readonly<Record<GoldenWire, Choices>> = {
  'openai-completions': words,
  'openai-responses': words,
  'anthropic-messages': {
    auto: { tool_choice: { type: 'auto' } },
    none: { tool_choice: { type: 'none' } },
    required: { tool_choice: { type: 'any' } },
  },
  'google-generative-ai': { auto: mode('AUTO'), none: mode('NONE'), required: mode('ANY') },
}
