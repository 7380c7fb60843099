import type { GenerateOptions, OptionName, ToolSchema } from 'dsh-llm'

const tool: ToolSchema = {
  name: 'clock',
  description: 'Tells the time',
  parameters: { type: 'object', properties: {} },
}

/** A value for each option that most providers take; there is none for `providerOptions`. */
export const usualSamples: Readonly<Partial<Record<OptionName, Partial<GenerateOptions>>>> = {
  reasoningEffort: { reasoningEffort: 'low' },
  system: { system: 'Be brief' },
  tools: { tools: [tool] },
  temperature: { temperature: 0.5 },
  maxTokens: { maxTokens: 64 },
  stop: { stop: ['END'] },
  toolChoice: { toolChoice: 'none', tools: [tool] },
  responseFormat: { responseFormat: { type: 'json' } },
  topP: { topP: 0.5 },
  seed: { seed: 7 },
  headers: { headers: { 'x-contract': 'sent' } },
}

/** What a sample needs beside the option itself: the request with which it is compared has that, too. */
export function withoutOption(name: OptionName, sample: Partial<GenerateOptions>): Partial<GenerateOptions> {
  return { ...sample, [name]: undefined }
}
