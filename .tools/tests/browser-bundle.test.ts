import { Worker } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { chatCompletions, deepseekDialect, startProviderServer } from 'dsh-llm-testkit'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { root } from './examples.ts'

const everything = `
  import { createLlm, createUserMessage, use } from 'dsh-llm'
  import deepseek from 'dsh-llm-deepseek'
  import openaiCompatible from 'dsh-llm-openai-compatible'

  export async function run(baseURL) {
    const app = await createLlm({ plugins: [
      use(deepseek, { baseURL, apiKey: 'key' }),
      use(openaiCompatible, { providers: { any: { baseURL } } }),
    ] })
    const ask = (provider) => app.llm.generate({ provider, model: 'deepseek-flash', messages: [createUserMessage('Hi')] })
    const answers = [await ask('deepseek'), await ask('any')]
    await app.dispose()
    return answers.map(({ text, finish }) => [text, finish.kind])
  }
`

interface Bundle {
  readonly code: string
  readonly imports: readonly string[]
}

async function bundle(contents: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'iife',
    globalName: 'bundled',
    platform: 'browser',
    target: 'es2024',
    conditions: ['dsh-source'],
    write: false,
    metafile: true,
  })
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports.map(({ path }) => path))
  return { code: outputFiles[0]?.text ?? '', imports }
}

/** What a web worker offers and the bundle may use; Node's own `fetch` needs `Buffer`, so it stays in a realm of its own. */
const webGlobals = [
  'AbortController',
  'AbortSignal',
  'clearTimeout',
  'console',
  'crypto',
  'fetch',
  'Headers',
  'performance',
  'ReadableStream',
  'Response',
  'setTimeout',
  'structuredClone',
  'TextDecoder',
  'TextEncoder',
  'URL',
]

/** Runs the bundle in a worker, in a realm that has the globals of the web and none of Node. */
function runInWorker(code: string, url: string): Promise<unknown> {
  const source = `
    const { parentPort } = require('node:worker_threads')
    const { createContext, runInContext } = require('node:vm')
    const names = ${JSON.stringify(webGlobals)}
    const realm = createContext(Object.fromEntries(names.map((name) => [name, globalThis[name]])))
    const left = runInContext("['process', 'Buffer', 'require', 'global'].filter((name) => name in globalThis)", realm)
    runInContext(${JSON.stringify(code)}, realm)
    runInContext('bundled', realm).run(${JSON.stringify(url)}).then(
      (answers) => parentPort.postMessage({ left, answers }),
      (error) => parentPort.postMessage({ left, error: String(error) }),
    )
  `
  const worker = new Worker(source, { eval: true })
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  worker.once('message', resolve)
  worker.once('error', reject)
  return promise.finally(() => void worker.terminate())
}

describe('a bundle for browsers', () => {
  it('imports nothing of Node and streams an answer in a worker without process and Buffer', async () => {
    const { code, imports } = await bundle(everything)
    expect(imports.filter((path) => path.startsWith('node:') || path.includes('undici'))).toEqual([])
    const chunks = chatCompletions({ reasoning: 'Hm.', text: 'Hello', finish: 'stop' }, deepseekDialect)
    await using server = await startProviderServer({ script: () => ({ chunks }) })
    const answer = ['Hello', 'stop']
    expect(await runInWorker(code, server.url)).toEqual({ left: [], answers: [answer, answer] })
  })

  // Bounds a little above what was measured: they are here so that growth is noticed, and a reason is given for it.
  it.each([
    ['dsh-context', `export { Context, Service } from 'dsh-context'`, 4_000],
    ['dsh-context and dsh-llm', `export { createLlm, createUserMessage, use } from 'dsh-llm'`, 18_950],
    ['all five', everything, 48_900],
  ])('%s stays below its size, minified and gzipped', async (name, contents, maxBytes) => {
    const { code } = await bundle(contents)
    const bytes = gzipSync(code, { level: 9 }).length
    process.stdout.write(`${name}: ${bytes} bytes minified and gzipped\n`)
    expect(bytes).toBeLessThanOrEqual(maxBytes)
  })
})
