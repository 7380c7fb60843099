import { type PluginUse, use } from 'dsh-llm'
import deepseek from 'dsh-llm-deepseek'
import { deepseekResponder, startProviderServer } from 'dsh-llm-testkit'

/** A provider inside this process, until it is closed. */
export interface EmbeddedProvider {
  readonly plugin: PluginUse
  close(): Promise<void>
}

/**
 * Starts a loopback server that speaks DeepSeek's wire without a model behind it. The real adapter calls it over a real
 * socket, so everything but the model is what a paying user gets. `paceMs` is the wait between its tokens.
 */
export async function startEmbeddedProvider(paceMs: number | undefined): Promise<EmbeddedProvider> {
  const server = await startProviderServer({ script: deepseekResponder({ paceMs }) })
  return {
    plugin: use(deepseek, { baseURL: server.url, apiKey: 'embedded-provider' }),
    close: () => server.close(),
  }
}
