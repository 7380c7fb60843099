import { chatCompletions, jsonAnswer, startProviderServer } from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import { makeFolder } from './folder.ts'
import { start } from './world.ts'

const brief = { chunks: chatCompletions({ text: 'Yes.' }) }

describe('chat with the embedded provider', () => {
  it('says so in one line and answers from the real folder', async () => {
    await using folder = await makeFolder({ 'src/': '', 'README.md': '', 'package.json': '{}' })
    const world = start(['chat', 'What is here?'], { cwd: folder.path })
    expect(await world.exitCode).toBe(0)
    expect(world.stderr()).toMatch(/^DEEPSEEK_API_KEY is not set[^\n]*embedded provider[^\n]*\n$/)
    const shown = world.stdout()
    expect(shown).toContain('→ list_directory({"path": "."})\n← list_directory gave\n    README.md\n')
    expect(shown).toContain('Folders: src/\n')
    expect(shown).toContain('Files: README.md, package.json\n')
    expect(shown).toMatch(
      /\nstop · 2 calls · [\d,]+ tokens in \(\d+ cached\) · \d+ out \(\d+ reasoning\) · first content after 0 s\n$/,
    )
  })

  it('writes no escape sequence where there is no terminal, and dims reasoning where there is one', async () => {
    await using folder = await makeFolder()
    const plain = start(['chat', 'Hm?'], { cwd: folder.path })
    const coloured = start(['chat', 'Hm?'], { cwd: folder.path, tty: true })
    const refused = start(['chat', 'Hm?'], { cwd: folder.path, tty: true, env: { NO_COLOR: '1' } })
    await Promise.all([plain.exitCode, coloured.exitCode, refused.exitCode])
    expect(plain.stdout()).not.toContain('\u001b')
    expect(refused.stdout()).not.toContain('\u001b')
    expect(coloured.stdout()).toContain('\u001b[2mThe')
  })

  it('looks at nothing with --no-tools', async () => {
    const world = start(['chat', 'What is here?', '--no-tools'])
    expect(await world.exitCode).toBe(0)
    expect(world.stdout()).toContain('You asked: What is here?')
    expect(world.stdout()).not.toContain('→')
  })

  it('does not think with --effort off', async () => {
    const world = start(['chat', 'Hi', '--no-tools', '--effort', 'off'])
    expect(await world.exitCode).toBe(0)
    expect(world.stdout()).not.toContain('The question is')
  })

  it('takes the prompt from standard input when there is no terminal', async () => {
    const world = start(['chat', '--no-tools'], { input: '  Who are you?\n' })
    expect(await world.exitCode).toBe(0)
    expect(world.stdout()).toContain('You asked: Who are you?')
  })

  it('asks the default prompt instead of waiting for standard input, unless there is another', async () => {
    const alone = start(['chat', '--no-tools', '--default-prompt', 'Fallback?'], { tty: true })
    const beside = start(['chat', 'Mine?', '--no-tools', '--default-prompt', 'Fallback?'])
    await Promise.all([alone.exitCode, beside.exitCode])
    expect(alone.stdout()).toContain('You asked: Fallback?')
    expect(beside.stdout()).toContain('You asked: Mine?')
  })
})

describe('chat --base-url', () => {
  it('sends the options to the server, and no key where none is set', async () => {
    await using server = await startProviderServer({ script: [brief] })
    const route = ['--base-url', `${server.url}/v1`, '--model', 'm1']
    const shape = ['--system', 'Be brief', '--effort', 'low', '--max-tokens', '77', '--no-tools']
    const world = start(['chat', 'Why?', ...route, ...shape])
    expect(await world.exitCode).toBe(0)
    expect(world.stdout()).toContain('Yes.\n\nstop')
    expect(world.stderr()).toBe('')
    const [request] = server.requests
    expect(request?.path).toBe('/v1/chat/completions')
    expect(request?.headers['authorization']).toBeUndefined()
    expect(request?.json).toMatchObject({ model: 'm1', max_tokens: 77, reasoning_effort: 'low' })
    expect(request?.json).toMatchObject({
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'Why?' },
      ],
    })
    expect(request?.json).not.toHaveProperty('tools')
  })

  it.each([
    ['OPENAI_API_KEY without --provider', [], 'Bearer general'],
    ['the key of the named provider', ['--provider', 'open-router.x'], 'Bearer own'],
    ['no key that bears another name', ['--provider', 'other'], undefined],
  ])('sends %s', async (_, provider, authorization) => {
    await using server = await startProviderServer({ script: [brief] })
    const env = {
      OPENAI_API_KEY: 'general',
      OPEN_ROUTER_X_API_KEY: ' own ',
      DEEPSEEK_API_KEY: 'deepseek',
      OTHER_API_KEY: ' ',
    }
    const world = start(['chat', 'Why?', '--base-url', server.url, '--model', 'm', ...provider], { env })
    expect(await world.exitCode).toBe(0)
    expect(server.requests[0]?.headers['authorization']).toBe(authorization)
  })

  it('speaks the dialect of a provider it knows by name', async () => {
    await using server = await startProviderServer({ script: [brief] })
    const argv = [
      'chat',
      'Why?',
      '--base-url',
      server.url,
      '--provider',
      'openai',
      '--model',
      'm',
      '--max-tokens',
      '5',
    ]
    expect(await start(argv).exitCode).toBe(0)
    expect(server.requests[0]?.json).toMatchObject({ max_completion_tokens: 5 })
  })
})

describe('chat around tools', () => {
  it('hands results back to the model, errors included, and goes on', async () => {
    await using folder = await makeFolder({ 'a.txt': 'content of a' })
    const calls = [
      { name: 'read_text_file', arguments: '{"path":"a.txt"}' },
      { name: 'read_text_file', arguments: '{"path":"../b.txt"}' },
      { name: 'read_text_file', arguments: '{"path":' },
    ]
    await using server = await startProviderServer({ script: [{ chunks: chatCompletions({ calls }) }, brief] })
    const world = start(['chat', 'Read a', '--base-url', server.url, '--model', 'm'], { cwd: folder.path })
    expect(await world.exitCode).toBe(0)
    expect(world.stdout()).toContain('← read_text_file gave\n    content of a\n← read_text_file failed\n')
    const results = JSON.stringify(server.requests[1]?.json)
    expect(results).toContain('content of a')
    expect(results).toContain('leads out of the working directory')
    expect(results).toContain('not valid JSON')
  })

  it('stops a model that asks for tools without end, after sixteen answers', async () => {
    const calls = [{ name: 'list_directory', arguments: '{"path":"."}' }]
    await using folder = await makeFolder()
    await using server = await startProviderServer({ script: () => ({ chunks: chatCompletions({ calls }) }) })
    const world = start(['chat', 'Loop', '--base-url', server.url, '--model', 'm'], { cwd: folder.path })
    expect(await world.exitCode).toBe(1)
    expect(server.requests).toHaveLength(16)
    expect(world.stderr()).toContain('asked for tools in 16 answers in a row')
  })
})

describe('chat that fails', () => {
  it('names code, status and advice on stderr and ends with 1', async () => {
    const refusal = jsonAnswer({ error: { message: 'Bad key', type: 'authentication_error' } }, { status: 401 })
    await using server = await startProviderServer({ script: [refusal] })
    const world = start(['chat', 'Why?', '--base-url', server.url, '--model', 'm'])
    expect(await world.exitCode).toBe(1)
    expect(world.stderr()).toMatch(/^AUTH: [^\n]*\(status 401[^\n]*\)\nCheck that the API key is valid/)
    expect(world.stdout()).toBe('error AUTH\n')
  })

  it('ends with 1 when the server breaks off, and keeps what came', async () => {
    const chunks = chatCompletions({ text: ['Half', ' of it'] }).slice(0, 2)
    await using server = await startProviderServer({ script: [{ chunks, end: 'cut' }] })
    const world = start(['chat', 'Why?', '--base-url', server.url, '--model', 'm'])
    expect(await world.exitCode).toBe(1)
    expect(world.stdout()).toContain('Half')
    expect(world.stderr()).toMatch(/^(STREAM_CLOSED|TRANSPORT): /)
  })

  it('ends with 1 when the answer is cut at the token limit', async () => {
    const chunks = chatCompletions({ text: 'Half', finish: 'length' })
    await using server = await startProviderServer({ script: [{ chunks }] })
    const world = start(['chat', 'Why?', '--base-url', server.url, '--model', 'm'])
    expect(await world.exitCode).toBe(1)
    expect(world.stderr()).toContain('max-tokens: the answer is cut at the token limit')
  })

  it('refuses an effort that the model does not list, before any request', async () => {
    const world = start(['chat', 'Why?', '--effort', 'enormous'])
    expect(await world.exitCode).toBe(1)
    expect(world.stderr()).toContain('UNSUPPORTED_REASONING_EFFORT')
  })

  it.each([
    [['chat', 'Why?', '--base-url', 'http://127.0.0.1:1'], 'add --model'],
    [['chat', 'Why?', '--provider', 'openrouter'], 'add --base-url'],
    [['chat'], 'There is no prompt'],
    [['chat', 'a', 'b'], 'too many arguments'],
    [[], 'Usage: dsh-llm'],
  ])('ends %j with 2 and says why', async (argv, words) => {
    const world = start(argv, { input: ' \n' })
    expect(await world.exitCode).toBe(2)
    expect(world.stderr()).toContain(words)
    expect(world.stdout()).toBe('')
  })

  it('refuses a prompt above one mebibyte', async () => {
    const world = start(['chat'], { input: 'x'.repeat(1024 * 1024 + 1) })
    expect(await world.exitCode).toBe(2)
    expect(world.stderr()).toContain('above 1048576 bytes')
  })
})
