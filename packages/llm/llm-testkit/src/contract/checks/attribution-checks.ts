import { userAgent } from 'dsh-llm'
import type { CheckDefinition } from '../contract-check.ts'
import { must } from '../contract-rules.ts'

const identity = { product: 'Contract Harness', version: '9.8', url: 'https://contract.invalid' }

export const attributionChecks: readonly CheckDefinition[] = [
  {
    name: 'names the library as user-agent',
    rule: 'A6',
    onWire: true,
    async run(stage) {
      await stage.run(await stage.play([{ text: 'Hi' }]))
      const sent = stage.requests[0]?.headers['user-agent']
      must(sent === userAgent(), 'A6', () => `user-agent is "${sent}", not "${userAgent()}"`)
    },
  },
  {
    name: 'names a white-label identity in its place',
    rule: 'A6',
    onWire: true,
    async run(stage) {
      await stage.run(await stage.play([{ text: 'Hi' }], { identity }))
      const sent = stage.requests[0]?.headers['user-agent']
      must(sent === userAgent(identity), 'A6', () => `user-agent is "${sent}", not "${userAgent(identity)}"`)
    },
  },
  {
    name: 'sends the key it was built with',
    rule: 'A6',
    onWire: true,
    async run(stage) {
      for (const apiKey of ['contract-key-one', 'contract-key-two'])
        await stage.run(await stage.play([{ text: 'Hi' }], { apiKey }))
      const [one, two] = stage.requests.map(({ url, headers, body }) => JSON.stringify([url, headers, body]))
      must(one !== two, 'A6', () => 'two adapters with different keys sent the same request')
    },
  },
  {
    name: 'lets no request replace attribution or credentials',
    rule: 'A6',
    onWire: true,
    async run(stage) {
      const adapter = await stage.play([{ text: 'Hi' }, { text: 'Hi' }])
      if (!adapter.options.has('headers')) return
      await stage.run(adapter)
      await stage.run(adapter, { headers: { 'User-Agent': 'mine', Authorization: 'Bearer mine' } })
      for (const name of ['user-agent', 'authorization']) {
        const [usual, sent] = stage.requests.map((request) => request.headers[name])
        must(
          sent === usual,
          'A6',
          () => `a request replaced ${name} by "${sent?.replaceAll(/SENTINEL/g, '…')}"`,
        )
      }
    },
  },
]
