import type { GenerateOptions, Message } from 'dsh-llm'
import { describe, expect, it } from 'vitest'
import { createDialect, type Dialect } from '../src/dialect.ts'
import { dialects } from '../src/dialects.ts'
import { encodeRequest, keptUnder } from '../src/encode.ts'
import { MAX_RUNS } from '../src/encode-run.ts'
import { profileOf } from '../src/encoding-profile.ts'
import { serialize } from '../src/serialize.ts'
import { assistant, call, requestOf, result, text, user } from './support/serialize-kit.ts'

/** A dialect that no other test keeps anything under. */
const createFreshDialect = (): Dialect => createDialect({ name: 'fresh' })

const history = (length: number): readonly Message[] =>
  Array.from({ length }, (_, at) => (at % 2 === 0 ? user(`question ${at}`) : assistant(text(`answer ${at}`))))

function send(messages: readonly Message[], dialect: Dialect): GenerateOptions {
  const request = requestOf([...messages])
  const body = new TextDecoder().decode(encodeRequest(request, dialect).body)
  expect(body).toBe(JSON.stringify(serialize(request, dialect)))
  return request
}

/** The runs that begin with the first message of these. */
function runsOf([first]: readonly Message[], { request }: Dialect) {
  return (first && keptUnder(profileOf(request, 'p', 'm')).runs.get(first)) ?? []
}

describe('keepRun', () => {
  it('keeps one run of a conversation that grows, is asked again and takes other turns', () => {
    const dialect = createFreshDialect()
    let messages = history(40)
    for (let turn = 0; turn < 50; turn += 1) {
      messages = [...messages, user(`question ${turn}`), assistant(call(`c${turn}`)), result(`c${turn}`, 'r')]
      send(messages, dialect)
      send(messages, dialect)
      send([...messages.slice(0, -1), result(`c${turn}`, 'another')], dialect)
    }
    expect(runsOf(messages, dialect)).toHaveLength(1)
    expect(runsOf(messages, dialect)[0]?.messages).toHaveLength(190)
  })

  it('keeps one run of a hundred conversations that share most of their messages', () => {
    const dialect = createFreshDialect()
    const shared = history(40)
    for (let branch = 0; branch < 100; branch += 1) send([...shared, ...history(20)], dialect)
    expect(runsOf(shared, dialect)).toHaveLength(1)
  })

  it('keeps a few of a hundred conversations that share a few messages, the latest first', () => {
    const dialect = createFreshDialect()
    const shared = history(4)
    const branches = Array.from({ length: 100 }, () => [...shared, ...history(20)])
    for (const branch of branches) send(branch, dialect)
    const kept = runsOf(shared, dialect).map(({ messages }) => messages)
    expect(kept).toEqual(branches.slice(-MAX_RUNS).toReversed())
  })

  it('lets conversations that begin alike take turns without losing one', () => {
    const dialect = createFreshDialect()
    const shared = history(2)
    let branches = Array.from({ length: MAX_RUNS }, () => [...shared, ...history(10)])
    for (let turn = 0; turn < 3; turn += 1) {
      branches = branches.map((branch) => [...branch, ...history(2)])
      for (const branch of branches) send(branch, dialect)
    }
    const lengths = runsOf(shared, dialect).map(({ messages }) => messages.length)
    expect(lengths).toEqual(Array.from({ length: MAX_RUNS }, () => 18))
  })

  it('keeps one run per profile when models are switched', () => {
    const deepseek = { ...dialects.deepseek, request: { ...dialects.deepseek.request } }
    const messages = history(10)
    for (const model of ['deepseek-flash', 'deepseek-r1', 'deepseek-flash', 'deepseek-r1']) {
      encodeRequest(requestOf([...messages], { model }), deepseek)
    }
    const counts = ['deepseek-flash', 'deepseek-r1'].map((model) => {
      const [first] = messages
      return first && keptUnder(profileOf(deepseek.request, 'p', model)).runs.get(first)?.length
    })
    expect(counts).toEqual([1, 1])
  })

  it('holds no list of its caller, and nothing of messages that may still change', () => {
    const dialect = createFreshDialect()
    const messages = [...history(4)]
    encodeRequest(requestOf(messages), dialect)
    messages.pop()
    expect(runsOf(messages, dialect)[0]?.messages).toHaveLength(4)
    const loose = [{ ...user('x') }]
    encodeRequest(requestOf(loose), dialect)
    expect(runsOf(loose, dialect)).toEqual([])
  })
})

describe('encodeStep', () => {
  it('keeps no more than the bytes of each message', () => {
    const dialect = createFreshDialect()
    const messages = history(20)
    const { body } = encodeRequest(requestOf([...messages]), dialect)
    const kept = messages.map((message) =>
      keptUnder(profileOf(dialect.request, 'p', 'm')).messages.get(message),
    )
    const held = kept.reduce((sum, bytes) => sum + (bytes?.buffer.byteLength ?? Infinity), 0)
    expect(held).toBeLessThanOrEqual(body.length)
  })
})
