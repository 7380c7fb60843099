import type { Answer } from '../../server/answer.ts'
import { startProviderServer } from '../../server/provider-server.ts'
import type { CheckDefinition } from '../contract-check.ts'
import { must } from '../contract-rules.ts'
import { malformed, renderMalformed, renderScripted } from '../render-scripted.ts'

const cuts = new Set(['STREAM_CLOSED', 'TRANSPORT', 'MALFORMED_RESPONSE'])

/** What goes wrong between the provider and the adapter. Nothing of it may look like an answer. */
export const transportChecks: readonly CheckDefinition[] = [
  {
    name: 'tells a server that cannot be reached as TRANSPORT',
    rule: 'A3',
    onWire: true,
    async run(stage) {
      const gone = await startProviderServer({})
      await gone.close()
      const run = await stage.run(await stage.serve([], { url: gone.url }))
      must(run.failure?.code === 'TRANSPORT', 'A3', () => `a closed port came out as ${run.describeEnd()}`)
    },
  },
  broken('tells a connection dropped before the answer as a failure', { raw: true, end: 'reset' }),
  broken('tells a page of HTML as a failure', {
    headers: { 'content-type': 'text/html' },
    chunks: '<html><body>Welcome</body></html>',
  }),
  broken('tells an empty body as a failure', {}),
  broken('tells what is no protocol as a failure', { chunks: 'this is no answer of any provider\n\n' }),
  {
    name: 'tells a frame that cannot be read as a failure',
    rule: 'A3',
    onWire: true,
    async run(stage) {
      const run = await stage.run(await stage.serve([renderMalformed(stage.wire)]))
      if (!run.text.includes(malformed)) run.assertFailed('an answer with a frame that is no JSON')
    },
  },
  {
    name: 'takes an answer that breaks off for no answer',
    rule: 'A3',
    async run(stage) {
      const run = await stage.run(await stage.play([{ text: ['One ', 'two'], end: 'cut' }]))
      if (!stage.hasWire && run.reason === undefined && !run.hasThrown) return
      const code = run.failure?.code ?? ''
      must(cuts.has(code), 'A3', () => `an answer that broke off ended with ${run.describeEnd()}`)
      run.assertGrammar()
      must(run.text === 'One two', 'A3', () => `before the cut came "One two", the chunks hold "${run.text}"`)
    },
  },
  {
    name: 'takes a body that ends too early for no answer',
    rule: 'A3',
    onWire: true,
    async run(stage) {
      const begun = renderScripted({ text: ['One ', 'two'], end: 'cut' }, stage.wire)
      const run = await stage.run(await stage.serve([{ ...begun, end: 'close' }]))
      run.assertFailed('a body that broke off')
      run.assertGrammar()
    },
  },
  {
    name: 'goes through an injected fetch',
    rule: 'A1',
    onWire: true,
    needs: ['injected-fetch'],
    async run(stage) {
      let calls = 0
      const counting: typeof globalThis.fetch = (...request) => {
        calls += 1
        return globalThis.fetch(...request)
      }
      const run = await stage.run(await stage.play([{ text: 'Hi' }], { fetch: counting }))
      must(run.text === 'Hi', 'A1', () => `a call through an injected fetch ended with ${run.describeEnd()}`)
      must(calls === 1, 'A1', () => `an injected fetch was called ${calls} times for one call`)
    },
  },
  {
    name: 'follows no redirect',
    rule: 'A1',
    onWire: true,
    async run(stage) {
      const redirect = { status: 307, headers: { location: '/elsewhere' } }
      const run = await stage.run(await stage.serve(() => redirect))
      must(stage.requests.length === 1, 'A1', () => 'a redirect was followed, key and conversation with it')
      run.assertFailed('a redirect')
    },
  },
]

function broken(name: string, answer: Answer): CheckDefinition {
  return {
    name,
    rule: 'A3',
    onWire: true,
    async run(stage) {
      const run = await stage.run(await stage.serve([answer]))
      run.assertFailed('it')
      run.assertGrammar()
    },
  }
}
