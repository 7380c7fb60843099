import { describe, expect, it } from 'vitest'
import { deepseekResponder, startProviderServer } from '../../src/index.ts'
import { eventsOf } from '../wire/frames.ts'

const tools = [{ type: 'function', function: { name: 'list_directory', parameters: { type: 'object' } } }]
const question = { role: 'user', content: 'What is in  this folder?' }
const call = {
  role: 'assistant',
  content: '',
  reasoning_content: 'Look.',
  tool_calls: [{ id: 'c', type: 'function' }],
}
const listed = (content: unknown): unknown[] => [question, call, { role: 'tool', tool_call_id: 'c', content }]

interface Spoken {
  readonly reasoning: string
  readonly text: string
  readonly call: string
  readonly finish: unknown
  readonly usage: Record<string, number>
}

interface Delta {
  readonly content?: string | null
  readonly reasoning_content?: string | null
  readonly tool_calls?: readonly { readonly function: { readonly name?: string; readonly arguments: string } }[]
}

interface Event {
  readonly choices: readonly [{ readonly delta: Delta; readonly finish_reason: string | null }]
  readonly usage: Record<string, number> | null
}

async function ask(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  await using server = await startProviderServer({
    script: deepseekResponder({ paceMs: 0, requireKey: 'sk-right' }),
  })
  const response = await fetch(`${server.url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-right', ...headers },
    body: JSON.stringify(body),
  })
  return new Response(await response.text(), response)
}

async function speak(fields: object): Promise<Spoken> {
  const response = await ask({ model: 'deepseek-flash', stream: true, messages: [question], ...fields })
  return assemble(eventsOf([await response.text()]))
}

function assemble(events: readonly unknown[]): Spoken {
  const chunks = events.slice(0, -1) as Event[]
  const deltas = chunks.map(({ choices }) => choices[0].delta)
  const pieces = deltas.flatMap((delta) => delta.tool_calls ?? [])
  return {
    reasoning: deltas.map((delta) => delta.reasoning_content ?? '').join(''),
    text: deltas.map((delta) => delta.content ?? '').join(''),
    call: pieces.map((piece) => (piece.function.name ?? '') + piece.function.arguments).join(''),
    finish: chunks.at(-1)?.choices[0].finish_reason,
    usage: chunks.at(-1)?.usage ?? {},
  }
}

describe('deepseekResponder', () => {
  it('thinks and lists the folder first when it is offered the tool', async () => {
    const spoken = await speak({ tools })
    expect(spoken.reasoning).toContain('What is in this folder?')
    expect(spoken).toMatchObject({ text: '', call: 'list_directory{"path": "."}', finish: 'tool_calls' })
  })

  it.each([
    ['no tools', {}],
    ['another tool', { tools: [{ type: 'function', function: { name: 'read_text_file' } }] }],
    ['tools it may not use', { tools, tool_choice: 'none' }],
  ])('answers with text when it is offered %s', async (_, fields) => {
    const spoken = await speak(fields)
    expect(spoken.text).toContain('You asked: What is in this folder?')
    expect(spoken).toMatchObject({ call: '', finish: 'stop' })
  })

  it.each([
    ['lines', 'docs/\nsrc/\npackage.json\n'],
    ['bullets below a heading', 'Entries:\n\n- docs/\r\n- src/\r\n- package.json\n(3 entries)'],
    [
      'text parts',
      [
        { type: 'text', text: 'docs/\nsrc/' },
        { type: 'text', text: 'package.json' },
      ],
    ],
  ])('names and counts every entry of a result given as %s', async (_, content) => {
    const spoken = await speak({ tools, messages: listed(content) })
    expect(spoken.text).toBe(
      'This folder has 2 folders, 1 file.\n\nFolders: docs/, src/\n\nFiles: package.json\n\n' +
        'In one sentence: package.json says that this is the folder of a JavaScript package.',
    )
    expect(spoken.reasoning).toContain('3 names')
    expect(spoken.finish).toBe('stop')
  })

  it('says that an empty folder is empty', async () => {
    const spoken = await speak({ tools, messages: listed('(empty)') })
    expect(spoken.text).toBe('The folder is empty (0 folders, 0 files).')
  })

  it('names every entry of a large folder in a bounded number of frames', async () => {
    const names = Array.from({ length: 3_000 }, (_, at) => `file ${at}.txt`)
    const script = deepseekResponder({ paceMs: 0 })
    await using server = await startProviderServer({ script })
    const body = { model: 'm', stream: true, messages: listed(names.join('\n')) }
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(body),
    })
    const events = eventsOf([await response.text()])
    expect(assemble(events).text).toContain(`Files: ${names.join(', ')}`)
    expect(events.length).toBeLessThan(250)
  })

  it.each([{ thinking: { type: 'disabled' } }, { reasoning_effort: 'none' }])(
    'does not think with %j',
    async (off) => {
      const response = await ask({ model: 'm', stream: true, messages: [question], tools, ...off })
      expect(await response.text()).not.toContain('reasoning')
    },
  )

  it('counts tokens that add up, with cache hits in units of 64 on what it has seen before', async () => {
    const first = await speak({ tools, messages: [{ role: 'system', content: 'x'.repeat(900) }, question] })
    expect(first.usage).toMatchObject({ prompt_cache_hit_tokens: 0 })
    const messages = [{ role: 'system', content: 'x'.repeat(900) }, ...listed('a\nb')]
    const { usage } = await speak({ tools, messages })
    const hits = usage['prompt_cache_hit_tokens'] ?? 0
    expect(hits).toBeGreaterThanOrEqual(192)
    expect(hits % 64).toBe(0)
    expect(hits + (usage['prompt_cache_miss_tokens'] ?? 0)).toBe(usage['prompt_tokens'])
    expect(usage['prompt_tokens']).toBeGreaterThan(first.usage['prompt_tokens'] ?? 0)
    expect(usage['total_tokens']).toBe((usage['prompt_tokens'] ?? 0) + (usage['completion_tokens'] ?? 0))
  })

  it('gives the same bytes to the same request, after keep-alive comments', async () => {
    const body = { model: 'm', stream: true, messages: [question], tools }
    const texts = [await (await ask(body)).text(), await (await ask(body)).text()]
    expect(texts[0]).toBe(texts[1])
    expect(texts[0]).toMatch(/^: keep-alive\n\n: keep-alive\n\ndata: \{/)
    expect(texts[0]).toMatch(/data: \[DONE\]\n\n$/)
  })

  it('takes its time between the frames', async () => {
    const waits: number[] = []
    const sleep = async (delayMs: number): Promise<void> => void waits.push(delayMs)
    await using server = await startProviderServer({ script: deepseekResponder(), sleep })
    const body = JSON.stringify({ model: 'm', stream: true, messages: [question], tools })
    await (await fetch(`${server.url}/chat/completions`, { method: 'POST', body })).text()
    const total = waits.reduce((sum, wait) => sum + wait, 0)
    expect(waits.slice(0, 5)).toEqual([12, 120, 120, 12, 12])
    expect(total).toBeGreaterThan(300)
    expect(total).toBeLessThan(3_000)
  })

  it('lists its models', async () => {
    await using server = await startProviderServer({ script: deepseekResponder() })
    const response = await fetch(`${server.url}/models`)
    expect(await response.json()).toMatchObject({
      object: 'list',
      data: [{ id: 'deepseek-flash', object: 'model', owned_by: 'deepseek' }, { id: 'deepseek-v4-pro' }],
    })
  })
})

describe('deepseekResponder refuses', () => {
  const good = { model: 'm', stream: true, messages: [question] }

  it.each([
    ['a wrong key', good, 'Bearer sk-wrong', 401, '****rong is invalid'],
    ['a missing key', good, '', 401, 'Authentication Fails'],
    ['a body without messages', { model: 'm' }, undefined, 400, 'Failed to deserialize'],
    ['an answer in one piece', { ...good, stream: false }, undefined, 400, 'set stream to true'],
    [
      'a history that lost its reasoning',
      { ...good, tools, messages: [question, { role: 'assistant', content: 'a' }, question] },
      undefined,
      400,
      'must be passed back',
    ],
  ])('%s', async (_, body, authorization, status, message) => {
    const response = await ask(body, authorization === undefined ? {} : { authorization })
    expect(response.status).toBe(status)
    expect(response.headers.get('x-ds-trace-id')).toMatch(/^[0-9a-f]{32}$/)
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining(message), param: null, code: 'invalid_request_error' },
    })
  })

  it('a path that DeepSeek does not have', async () => {
    await using server = await startProviderServer({ script: deepseekResponder() })
    expect((await fetch(`${server.url}/nothing`)).status).toBe(404)
  })
})
