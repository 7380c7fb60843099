import { chatCompletions, type WireContractSetup } from '../../src/index.ts'
import { PlainAdapter } from './plain-adapter.ts'

export const plainSetup: WireContractSetup = {
  createAdapter: (connection) => new PlainAdapter(connection),
  render: (answer) => ({ chunks: chatCompletions(answer) }),
  requestIdHeader: 'x-request-id',
  lacks: ['cache-usage', 'reasoning-usage'],
}
