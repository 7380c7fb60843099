import { describe, expect, it } from 'vitest'
import { Redactor } from '../src/redact/redactor.ts'

const key = 'sk-planted0123456789abcdefXYZ'
const configured = 'hunter"2 \\ of mine'
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const wrapped = (text: string, lineBreak: string): string => text.replaceAll(/.{76}/g, `$&${lineBreak}`)
const hex = (text: string): string => Buffer.from(text).toString('hex')

/** One key of each format that is told by its shape, its body being the word to look for. */
const formats = [
  'sk-plant0123456789abcdefXYZ',
  'sk_live_plant0123456789',
  'ghp_plant0123456789abcdefgh',
  'glpat-plant0123456789abcdef',
  'AIzaplant0123456789abcdefghijklmnopqr',
  'xoxb-plant0123456789',
  'hf_plant0123456789abcdefgh',
  'Bearer plant0123456789',
]

describe('what is masked', () => {
  it.each([
    // Encoded, beside characters that belong to no encoding.
    `key=${hex(key)}`,
    `0x${hex(key)}`,
    JSON.stringify({ a: `"${hex(key)}"` }),
    JSON.stringify({ a: `${hex(key)}\n` }),
    `token=${base64(`user:${key}`)}`,
    `https://x.test/?id=${base64(`user:${key}`)}`,
    String.raw`C:\\tmp\\${base64(`user:${key}`)}`,
    // Named, with quotes of any depth inside.
    JSON.stringify({ password: 'ab"c-plant-99' }),
    `{"password":"it's-plant-99"}`,
    JSON.stringify({ password: 'abc\\def\nplant-99' }),
    JSON.stringify({ a: JSON.stringify({ password: 'ab"c-plant-99' }) }),
    `{"password":["plant-99"]}`,
    `{"password":"plant-99`,
    // Behind the letter of an escape, behind a colour.
    ...formats.flatMap((format) => [
      `{"a":"x\\n${format}\\n"`,
      `{"a":"{\\"b\\":\\"\\\\n${format}`,
      `\u001b[31m${format}`,
    ]),
    JSON.stringify({ content: 'FOO=1\nAPI_KEY=plantsecret99\n' }),
    // Within JSON as members are, whatever they are.
    '{"password":["plant-a","b","plant-c"]}',
    '{"authorization":"hunter-plant"}',
    '{"x-api-key":123456789012,"a":"plant9".length}'.replace('plant9', ''),
    JSON.stringify({ password: 'plant'.repeat(5000) }),
    // Headers, variables, addresses.
    'Authorization: ApiKey plant123def456ghi789',
    'Authorization: Digest username="Mufasa", response="6629fae49393a05397450978507cplant4ef1"'.replace(
      'plant',
      '0',
    ),
    'Cookie: theme="dark"; sid=plant-99',
    'API_KEY="correct plant battery staple"',
    "DB_PASSWORD='my plant word 12'",
    'https://me:p@ss-plant@host/x',
    'AKIAABCDEFGHIJKLMNOPAKIAABCDEFGHIJKLplant'.toUpperCase(),
  ])('in %s', (text) => {
    const redactor = new Redactor()
    const masked = redactor.text(text)
    expect(masked).toContain('[redacted]')
    expect(masked).not.toMatch(/plant|6629fae/i)
    expect(masked).not.toContain(hex(key).slice(0, 20))
    expect(masked).not.toContain(base64(`user:${key}`).slice(4, 24))
    expect(redactor.text(masked)).toBe(masked)
  })

  it.each([
    JSON.stringify({ cmd: `echo "${base64(`user:${key}`)}" > f` }),
    JSON.stringify({ cmd: `x\n${base64(`user:${key}`)}\n` }),
    JSON.stringify({ cmd: `see:\n${wrapped(base64(`${'a'.repeat(48)} ${key} and more`), '\n')}` }),
    JSON.stringify({ cmd: `"${key.replace('-', '%2D')}"` }),
    JSON.stringify({ cmd: `-----BEGIN PRIVATE KEY-----\n${'QUJD'.repeat(16)}\n${'QUJD'.repeat(16)}` }),
    JSON.stringify({ password: 'a"b\\c', user: 'me' }),
    JSON.stringify({ a: JSON.stringify({ apiKey: 'a"b\\c', user: 'me' }) }),
  ])('leaves JSON text one: %s', (text) => {
    const masked = new Redactor().text(text)
    expect(masked).toContain('[redacted]')
    expect(() => JSON.parse(masked)).not.toThrow()
  })

  it.each([
    'const KEY = computeKey()',
    'API_KEY=$API_KEY',
    'export API_KEY=${API_KEY:-none}',
    'OPENAI_API_KEY=process.env.OPENAI_API_KEY',
    'const MAX_TOKEN = 100000',
    'HOTKEY=Ctrl+Shift+P MONKEY=bananas FOREIGN_KEY=users.id',
    'const STORAGE_KEY = "settings.theme"',
    'const cookie = parse(header); cookie = document.cookie',
    'const authorization = buildHeader()',
    'authorization: required for all',
    'sk-learn-pipeline-tutorial by the sk-translation-team, sk-button-primary-2xl, sk-toolkit-v2-documentation',
    'authorization = getAuthorization2(); authorization: https://docs.example/2/auth',
    'https://esm.sh:443@x and postgres://user:${PASS}@host',
    `{"code":"if (t.includes('-----BEGIN PRIVATE KEY-----')) stop()"}`,
    '{"password":"","apiKey":null,"password_hint":{"type":"string"}}',
    'c2hhMjU2LWJhc2U2NC1pbnRlZ3JpdHk= 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    '3f1c0a52-6f0e-4c8e-9a55-2f5f0c9d7e11 /usr/local/lib/node_modules/typescript/lib/tsc.js',
  ])('is not %s', (text) => {
    expect(new Redactor().text(text)).toBe(text)
  })

  it('takes no longer than its length, whatever a text is made of', () => {
    const size = 400_000
    const redactor = new Redactor({ secrets: [configured] })
    const pieces = [
      'AKIA',
      `AKIA${'B'.repeat(16)}`,
      'cookie="',
      'response=0123456789abcdef0123456789abcdef',
      'a',
      'QUJD',
      'cookie:',
      '-eyJ',
      '\\',
      '/usr',
      'sk-',
      'a-',
      '"password":"',
      '%41',
      'x://u:',
    ]
    for (const piece of [...pieces, '-----BEGIN PRIVATE KEY-----', 'A_', '\\u0041', 'Bearer ', 'f0', 'a=b; '])
      expect(redactor.text(`${piece.repeat(size / piece.length)}\\`).length).toBeGreaterThan(0)
    const names = Array.from({ length: 10_000 }, (_, at) => [`${key}${at}`, at])
    expect(Object.keys(redactor.request(Object.fromEntries(names)) ?? {})).toHaveLength(10_000)
  })

  it('spares what a pattern masked before, and the names of members', () => {
    const redactor = new Redactor({ patterns: [/[a-z]{8,}/i, /index/] })
    const data = { index: 1, argumentsDelta: 'something else', 'an index': 2 }
    const masked = { index: 1, argumentsDelta: '[redacted] else', 'an [redacted]': 2 }
    expect(redactor.request(data)).toEqual(masked)
    expect(redactor.leaks(masked, 'request')).toBe(false)
  })

  it.each([`{"apiKey":"${key}","apiKey":""}`, '{"password":"plant-99","password":""}'])(
    'leaves only the last of two members of one name, which is the one that counts: %s',
    (text) => {
      const redacted = new Redactor().text(text)
      expect(redacted).not.toContain('plant')
      expect(JSON.parse(redacted)).toEqual(JSON.parse(text))
    },
  )

  it('keeps two secret names of one object apart, and finds a secret that is a number', () => {
    const redactor = new Redactor({ secrets: ['12345678'], patterns: [/\d{5}/] })
    const data = { [`${key}A`]: 1, [`${key}B`]: 2, pin: 12345678, count: 99999 }
    expect(redactor.request(data)).toEqual({
      '[redacted]': 1,
      '[redacted] 2': 2,
      pin: '[redacted]',
      count: 99999,
    })
    expect(redactor.text('{"pin":12345678,"a":1,"n":55555}')).toBe(
      '{"pin":"[redacted]","a":1,"n":"[redacted]"}',
    )
    expect(redactor.text('{"id": 12345678901234567890}')).toBe('{"id":"[redacted]"}')
    expect(new Redactor().text('{"id": 12345678901234567890}')).toBe('{"id": 12345678901234567890}')
  })
})
