import { chatCompletions, deepseekDialect } from 'dsh-llm-testkit'
import { adapterContract } from 'dsh-llm-testkit/vitest'
import { DeepSeekAdapter } from '../src/index.ts'

adapterContract('DeepSeekAdapter', {
  provider: 'deepseek',
  model: 'deepseek-flash',
  createAdapter: ({ url, ...connection }) => new DeepSeekAdapter({ baseURL: url, ...connection }),
  render: (answer) => ({ chunks: chatCompletions(answer, deepseekDialect) }),
  requestIdHeader: 'x-ds-trace-id',
  optionSamples: { providerOptions: { providerOptions: { deepseek: { userId: 'somebody' } } } },
})
