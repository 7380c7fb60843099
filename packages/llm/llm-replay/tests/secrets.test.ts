import {
  createAssistantMessage,
  createFailure,
  createToolResultMessage,
  createUserMessage,
  type StreamChunk,
  CallId,
} from 'dsh-llm'
import { expectGrammar } from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import { Redactor } from '../src/redact/redactor.ts'
import { failureOf, openStage, TestFile, textOf, toRequest } from './support/stage.ts'

const key = 'sk-planted0123456789abcdefXYZ'
const configured = 'hunter"2 \\ of mine'
const base64 = (text: string): string => Buffer.from(text).toString('base64')

const wrapped = (text: string, lineBreak: string): string => text.replaceAll(/.{76}/g, `$&${lineBreak}`)

const places: readonly (readonly [string, string])[] = [
  ['plain', `use ${key} now`],
  ['bearer', 'Authorization: Bearer abcdef0123456789abcdef'],
  ['JSON', JSON.stringify({ inner: JSON.stringify({ key: configured }) })],
  ['percent', `https://x.test/?k=${encodeURIComponent(configured)}&y=1`],
  ['over-encoded percent', `https://x.test/?k=${key.replace('-', '%2D')}`],
  ['base64 of a known format', `Basic ${base64(`user:${key}`)}`],
  ['base64 of a configured secret', `x ${base64(`u:${configured}:v`)}`],
  ['hex', Buffer.from(configured).toString('hex')],
  ['base64 of percent', `x ${base64(encodeURIComponent(`k=${configured}&v=1`))} y`],
  ['unicode escapes', `{"k":"${key.replace('-', String.raw`\u002d`)}"}`],
  ['cloud', 'id AKIAABCDEFGHIJKLMNOP, token ghp_abcdefghijklmnopqrst0123'],
]
const needles = [
  key,
  key.slice(3),
  configured,
  JSON.stringify(configured).slice(1, -1),
  encodeURIComponent(configured),
  'abcdef0123456789abcdef',
  base64(`user:${key}`).slice(0, 20),
  base64(`u:${configured}:v`).slice(4, 20),
  Buffer.from(configured).toString('hex'),
  base64(encodeURIComponent(`k=${configured}&v=1`)).slice(0, 20),
  'AKIAABCDEFGHIJKLMNOP',
  'ghp_abcdefghijklmnopqrst0123',
]

describe('a planted key', () => {
  const redact = { secrets: [configured] }

  it.each(places)('never lands in a file, in any part of request or answer: %s', async (_name, text) => {
    using file = new TestFile()
    const source = { kind: 'model' as const, provider: 'p', model: 'm' }
    const content = [
      { type: 'tool-call' as const, id: CallId('c'), name: 'f', arguments: JSON.stringify({ text }) },
    ]
    const request = toRequest('q', {
      system: text,
      stop: [text],
      tools: [{ name: 'f', description: text, parameters: { type: 'object', default: { [text]: text } } }],
      messages: [
        createUserMessage(text),
        createAssistantMessage({ content, source }),
        createToolResultMessage({ callId: CallId('c'), content: text }),
      ],
      headers: { 'x-api-key': text },
    })
    const failure = createFailure(`refused: ${text}`, 'AUTH')
    const finish: StreamChunk = { type: 'finish', reason: { kind: 'error', failure } }
    const script = [
      { text: [text.slice(0, 9), text.slice(9)], reasoning: text, calls: [{ name: 'f', arguments: text }] },
      [finish],
    ]
    await using stage = await openStage({ file: file.path, mode: 'record', redact }, { script })
    expect(textOf(await stage.ask(request))).toBe(text)
    await stage.ask(request)
    expect(stage.ctx.llmReplay.report()).toMatchObject({ recorded: 2, dropped: [] })
    for (const needle of needles) {
      expect(file.text).not.toContain(needle)
      expect(file.text).not.toContain(JSON.stringify(needle).slice(1, -1))
    }
    await using again = await openStage({ file: file.path, mode: 'replay', redact })
    const replayed = await again.ask(request)
    expectGrammar(replayed)
    expect(textOf(replayed)).toContain('[redacted]')
    expect(failureOf(await again.ask(request)).message).toContain('[redacted]')
    again.ctx.llmReplay.assertConsumed()
  })

  it('is masked in every pair of a cookie header that a text quotes', () => {
    const redactor = new Redactor()
    const masked = redactor.text(
      'sent Cookie: a=1; sid=topsecret99, got "set-cookie": "sid=other-one; Path=/" back',
    )
    expect(masked).toBe('sent Cookie: [redacted], got "set-cookie": "[redacted]" back')
    expect(redactor.text(masked)).toBe(masked)
  })

  it.each([
    [
      '{"user":"me","apiKey":"plain-1","password":"plain-2"}',
      '{"user":"me","apiKey":"[redacted]","password":"[redacted]"}',
    ],
    ['{\\"api_key\\":\\"plain-1\\"}', '{\\"api_key\\":\\"[redacted]\\"}'],
    ['{"apiKey": 12345, "maxTokens": 7}', '{"apiKey":"[redacted]","maxTokens":7}'],
    ['{\\"password\\":-1.5e3}', '{\\"password\\":\\"[redacted]\\"}'],
    ['{"openai_api_key":"plain-1"}', '{"openai_api_key":"[redacted]"}'],
    ['git clone https://me:plain-1@host.example/x', 'git clone https://me:[redacted]@host.example/x'],
    ['AWS_SECRET_ACCESS_KEY=plain-123 MAX_TOKENS=100000', 'AWS_SECRET_ACCESS_KEY=[redacted] MAX_TOKENS=100000'],
    ['GET https://a.example/v1?api_key=plain-1&x=2', 'GET https://a.example/v1?api_key=[redacted]&x=2'],
  ])('is masked where a text names it: %s', (text, masked) => {
    const redactor = new Redactor()
    expect(redactor.text(text)).toBe(masked)
    expect(redactor.text(masked)).toBe(masked)
  })

  it.each([
    ['in another letter case', configured.toUpperCase()],
    [
      'in base64 that is broken into lines',
      wrapped(base64(`${'a'.repeat(48)} ${configured} ${'b'.repeat(40)}`), '\n'),
    ],
    ['in escaped lines', wrapped(base64(`${'a'.repeat(48)} ${key} ${'b'.repeat(40)}`), String.raw`\r\n`)],
  ])('is found %s', (_name, text) => {
    expect(new Redactor(redact).text(text)).toBe('[redacted]')
  })

  it('is masked under a name that says so, whatever its kind; a schema under that name stays', () => {
    const redactor = new Redactor()
    const data = {
      apiKey: 123,
      cookie: ['a=b', 7, { plain: key }],
      DB_PASSWORD: 'x',
      password: { type: 'string' },
      secretAccessKey: null,
    }
    const masked = {
      apiKey: '[redacted]',
      cookie: ['[redacted]', '[redacted]', { plain: '[redacted]' }],
      DB_PASSWORD: '[redacted]',
      password: { type: 'string' },
      secretAccessKey: null,
    }
    expect(redactor.request(data)).toEqual(masked)
    expect(redactor.leaks(data, 'request')).toBe(true)
    expect(redactor.leaks(masked, 'request')).toBe(false)
  })

  it('is masked under the names of the vocabulary, too, where they are none', () => {
    const redactor = new Redactor({ patterns: [/card \d+/], paths: ['messages[*].role'] })
    const role = 'card 12'
    const data = { provider: 'card 1', messages: [{ role }], tools: [{ parameters: { code: 'card 1234' } }] }
    expect(redactor.request(data)).toEqual({
      provider: 'card 1',
      messages: [{ role: '[redacted]' }],
      tools: [{ parameters: { code: '[redacted]' } }],
    })
    expect(redactor.leaks(data, 'request')).toBe(true)
  })

  it('is looked for by patterns that match nothing as well', () => {
    const redactor = new Redactor({ patterns: [/x*/, /\s*$/] })
    expect(redactor.text('axxb ')).toBe('a[redacted]b[redacted]')
    expect(redactor.text('ab')).toBe('ab')
  })

  it('is looked for in the texts of blocks, not in the ends of nothing between them', async () => {
    using file = new TestFile()
    const seen: string[] = []
    const hook = (text: string): string => {
      seen.push(text)
      return text
    }
    await using stage = await openStage(
      { file: file.path, mode: 'record', redact: { hook } },
      { script: [{ text: ['Hel', 'lo'] }] },
    )
    await stage.ask(toRequest('q'))
    expect(seen).toEqual(['q', 'Hello', 'Hello'])
  })

  it('is masked in the answer by path, in deltas and blocks', async () => {
    using file = new TestFile()
    const redact = { paths: ['chunks[*].text', 'chunks[*].block.text'] }
    await using stage = await openStage(
      { file: file.path, mode: 'record', redact },
      { script: [{ text: ['private ', 'words'] }] },
    )
    await stage.ask(toRequest('q'))
    expect(stage.ctx.llmReplay.report()).toMatchObject({ recorded: 1 })
    expect(file.text).not.toMatch(/private|words/)
    await using again = await openStage({ file: file.path, mode: 'replay', redact })
    expect(textOf(await again.ask(toRequest('q')))).toBe('[redacted]')
  })

  it('is not sent to a provider when auto cannot make a key of the request', async () => {
    using file = new TestFile()
    const hook = (): string => {
      throw new RangeError('no rule for this')
    }
    const config = { file: file.path, mode: 'auto' as const, redact: { hook } }
    await using stage = await openStage(config, { script: [{ text: 'paid for' }] })
    const chunks = await stage.ask(toRequest('q'))
    expect(failureOf(chunks).message).toContain('no rule for this')
    expect(stage.ctx.llmReplay.report()).toMatchObject({
      recorded: 0,
      misses: [{ message: 'Could not redact: the redact hook threw: no rule for this' }],
    })
  })

  it('is not written by a hook that gives no text, which is named', () => {
    const promised: unknown = async (text: string) => text
    for (const hook of [promised, () => undefined] as ((text: string) => string)[])
      expect(() => new Redactor({ hook }).text('a')).toThrow(
        /the redact hook gave (object|undefined); return a text/,
      )
  })

  it('is masked once and for all: what is redacted stays as it is', () => {
    const redactor = new Redactor(redact)
    for (const [, text] of places) {
      const once = redactor.text(text)
      expect(once).not.toBe(text)
      expect(redactor.text(once)).toBe(once)
      expect(redactor.leaks(once, 'chunk')).toBe(false)
    }
  })

  it('is refused when a hook brings it back: the call goes on, nothing is written, and it is reported', async () => {
    using file = new TestFile()
    const errors: unknown[] = []
    const config = { file: file.path, mode: 'record' as const, redact: { hook: () => key } }
    await using stage = await openStage(config, { script: [{ text: 'fine' }] })
    stage.ctx.on('internal/error', (error) => void errors.push(error))
    expect(textOf(await stage.ask(toRequest('q')))).toBe('fine')
    expect(file.lines).toHaveLength(1)
    expect(errors).toMatchObject([{ code: 'INVALID_RECORDING' }])
    expect(stage.ctx.llmReplay.report()).toMatchObject({
      recorded: 0,
      dropped: [expect.stringContaining('a key')],
    })
  })

  it('leaves the words of the vocabulary to be read again, whatever pattern and hook do to texts', async () => {
    using file = new TestFile()
    const redact = { patterns: [/delta|stop/], hook: () => 'x' }
    const script = [{ text: ['some ', 'text'] }]
    await using stage = await openStage({ file: file.path, mode: 'record', redact }, { script })
    await stage.ask(toRequest('q'))
    await using again = await openStage({ file: file.path, mode: 'replay', redact })
    expect(textOf(await again.ask(toRequest('r')))).toBe('x')
    using broken = new TestFile()
    const config = { file: broken.path, mode: 'record' as const, redact: { hook: () => '' } }
    const call = { id: 'c', name: 'f', arguments: '{}' }
    await using bad = await openStage(config, { script: [{ text: 'some text', calls: [call] }] })
    bad.ctx.on('internal/error', () => {})
    expect(textOf(await bad.ask(toRequest('q')))).toBe('some text')
    expect([bad.ctx.llmReplay.report().dropped.length, broken.lines.length]).toEqual([1, 1])
  })

  it('is masked by pattern and path, and harmless text is left alone', () => {
    const redactor = new Redactor({ patterns: [/card \d+/], paths: ['messages[*].content'] })
    expect(redactor.request({ system: 'my card 123', messages: [{ role: 'user', content: 'x' }] })).toEqual({
      system: 'my [redacted]',
      messages: [{ role: 'user', content: '[redacted]' }],
    })
    const loose = new Redactor({ patterns: [/\d\d/, /[\w.]+@[\w.]+/], secrets: [configured] })
    expect(loose.text(Buffer.from('write to a@example.test').toString('base64'))).toBe('[redacted]')
    expect(loose.text('internationalisation/of/everything/Everywhere')).toBe(
      'internationalisation/of/everything/Everywhere',
    )
    for (const text of [
      'task-force-management-of-things',
      'the bearer of news',
      'a cookie: yes',
      'packages/llm/llm-replay/src/index.ts',
    ])
      expect(redactor.text(text)).toBe(text)
  })
})
