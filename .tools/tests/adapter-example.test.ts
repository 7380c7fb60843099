import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createLlm, createUserMessage } from 'dsh-llm'
import { sseFrames, startProviderServer } from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import { root, writeExamples } from './examples.ts'

const examples = writeExamples('adapter', ['docs/writing-an-adapter.md'])

function fileOf(name: string): string {
  return examples.find(({ file }) => path.basename(file) === name)?.file ?? `missing ${name}`
}

// Registers the contract's suite here, as an author's own test file would.
await import(fileOf('parley-contract.ts'))

describe('the adapter of docs/writing-an-adapter.md', () => {
  it('answers through the runtime', async () => {
    const { ParleyAdapter } = (await import(fileOf('parley-adapter.ts'))) as Readonly<
      Record<string, new (config: object) => never>
    >
    if (ParleyAdapter === undefined) throw new Error('The document exports no ParleyAdapter')
    const chunks = sseFrames([{ say: 'Well ' }, { say: 'met' }, { end: 'done' }], { done: false })
    await using server = await startProviderServer({ script: [{ chunks }] })
    await using app = await createLlm()
    app.ctx.llm.registerAdapter(['parley'], new ParleyAdapter({ baseURL: server.url, apiKey: 'k' }))
    const answer = await app.llm.generate({
      provider: 'parley',
      model: 'm',
      messages: [createUserMessage('Hi')],
    })
    expect([answer.text, answer.finish.kind]).toEqual(['Well met', 'stop'])
  })

  it('is complete in under 120 lines, with its contract test', () => {
    const lines = examples.map(({ code }) => code.trimEnd().split('\n').length)
    expect(lines).toHaveLength(2)
    expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThan(120)
  })

  it('names every rule that the contract can name', () => {
    const source = readFileSync(
      path.join(root, 'packages/llm/llm-testkit/src/contract/contract-rules.ts'),
      'utf8',
    )
    const rules = [...source.matchAll(/^ {2}(A\d+): /gm)].map(([, rule]) => rule)
    const text = readFileSync(path.join(root, 'docs/writing-an-adapter.md'), 'utf8')
    const documented = [...text.matchAll(/^\| \*\*(A\d+)\*\*/gm)].map(([, rule]) => rule)
    expect(documented).toEqual(rules)
  })
})
