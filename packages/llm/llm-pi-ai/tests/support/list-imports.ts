import { registerHooks } from 'node:module'

/** Loads the plugin, then calls a model of a server that is not there, and prints what of pi-ai was imported by then. */
const imported: string[] = []
registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith('@earendil-works/')) imported.push(specifier)
    return next(specifier, context)
  },
})
const { createLlm, createUserMessage, use } = await import('dsh-llm')
const { default: piAi } = await import('../../src/index.ts')
const providers = { anthropic: { baseURL: 'http://127.0.0.1:9', apiKey: 'k' }, google: { apiKey: 'k' } }
const host = await createLlm({ plugins: [use(piAi, { providers })] })
const whenLoaded = [...imported]
const messages = [createUserMessage('Hi')]
const { finish } = await host.llm.generate({ provider: 'anthropic', model: 'claude-opus-4-5', messages })
await host.dispose()
process.stdout.write(JSON.stringify({ whenLoaded, whenCalled: imported, code: finish.failure?.code }))
