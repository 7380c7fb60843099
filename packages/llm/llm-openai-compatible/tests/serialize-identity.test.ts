import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CallIdPlanner, isLegalCallId } from '../src/call-ids.ts'
import { dialects } from '../src/dialects.ts'
import { encodeRequest } from '../src/encode.ts'
import { serialize } from '../src/serialize.ts'
import { planToolNames, toWireToolName } from '../src/tool-names.ts'
import type { WireMessage } from '../src/wire-request.ts'
import { assistant, call, requestOf, result, tool, user } from './support/serialize-kit.ts'

const { deepseek, generic, mistral, openai } = dialects

/** The ids of calls and results, in wire order. */
function wireIds(messages: readonly WireMessage[]): string[] {
  return messages.flatMap((message) => {
    if (message.role === 'tool') return [message.tool_call_id]
    return message.role === 'assistant' ? (message.tool_calls ?? []).map(({ id }) => id) : []
  })
}

describe('serialize: call ids', () => {
  const turn = (id: string) => [assistant(call(id)), result(id, 'r')]

  it('gives a repeated id another one on both sides, the first keeps it', () => {
    const messages = [user('go'), ...turn('call_0'), ...turn('call_0'), ...turn('call_0')]
    const ids = wireIds(serialize(requestOf(messages), generic).messages)
    expect(ids.slice(0, 2)).toEqual(['call_0', 'call_0'])
    expect([ids[2], ids[4]]).toEqual([ids[3], ids[5]])
    expect(new Set(ids).size).toBe(3)
  })

  it('keeps every id when turns are appended', () => {
    const messages = [user('go'), ...turn('a|b'), ...turn('call_0'), ...turn('call_0')]
    const before = wireIds(serialize(requestOf(messages), generic).messages)
    const after = wireIds(
      serialize(requestOf([...messages, ...turn('call_0'), ...turn(before[0] ?? '')]), generic).messages,
    )
    expect(after.slice(0, before.length)).toEqual(before)
    expect(new Set(after).size).toBe(after.length / 2)
  })

  it.each([
    ['generic', generic, /^[\w-]{1,64}$/],
    ['openai', openai, /^[\w-]{1,40}$/],
    ['deepseek', deepseek, /^[\w-]{1,64}$/],
    ['mistral', mistral, /^[A-Za-z0-9]{9}$/],
  ] as const)('makes foreign ids legal and distinct for %s', (_name, dialect, legal) => {
    const long = `call_${'a'.repeat(40)}|item_${'b'.repeat(40)}`
    const foreign = [long, `${long}c`, 'call_00_x-y', 'call_00_x_y', 'é']
    const messages = [
      user('go'),
      assistant(...foreign.map((id) => call(id))),
      ...foreign.map((id) => result(id, 'r')),
    ]
    const ids = wireIds(serialize(requestOf(messages), dialect).messages)
    expect(ids.slice(foreign.length)).toEqual(ids.slice(0, foreign.length))
    expect(new Set(ids).size).toBe(foreign.length)
    for (const id of ids) expect(id).toMatch(legal)
  })

  it('tells the translator every id a new call may not use', () => {
    const { callIds } = encodeRequest(requestOf([user('go'), ...turn('x|y'), ...turn('x|y')]), generic)
    expect(callIds.has('x|y')).toBe(true)
    expect(callIds.size).toBe(3)
  })

  it('CallIdPlanner gives legal, distinct ids whatever comes', () => {
    const id = fc.oneof(fc.constantFrom('call_0', 'a', 'abcdefghi'), fc.string({ minLength: 1, maxLength: 70 }))
    fc.assert(
      fc.property(
        fc.array(id, { maxLength: 60 }),
        fc.constantFrom(generic, openai, mistral),
        (ids, { request }) => {
          const planner = new CallIdPlanner(request.callIds)
          const wire = ids.map((each) => {
            const opened = planner.open(each)
            expect(planner.answer(each)).toBe(opened)
            return opened
          })
          expect(new Set(wire).size).toBe(wire.length)
          expect(wire.every((each) => isLegalCallId(each, request.callIds))).toBe(true)
        },
      ),
    )
  })
})

describe('serialize: tool names', () => {
  const names = ['srv.get-item', 'srv_get-item', 'x'.repeat(67), 'x'.repeat(68), '', 'été', '工具']

  it('maps illegal names to legal, distinct ones and back', () => {
    const plan = planToolNames(names.map(tool), 64)
    const wire = names.map((name) => plan.toWire(name))
    expect(new Set(wire).size).toBe(names.length)
    for (const name of wire) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(wire.map((name) => plan.toOriginal(name))).toEqual(names)
    expect(wire[1]).toBe('srv_get-item')
  })

  it('uses one wire name in tools, history and choice', () => {
    const messages = [user('go'), assistant(call('c', 'srv.get')), result('c', 'r')]
    const body = serialize(
      requestOf(messages, { tools: [tool('srv.get')], toolChoice: { name: 'srv.get' } }),
      generic,
    )
    const name = toWireToolName('srv.get', 64)
    expect(body).toMatchObject({
      messages: [{}, { tool_calls: [{ function: { name } }] }, {}],
      tools: [{ function: { name } }],
      tool_choice: { function: { name } },
    })
  })

  it('keeps names apart when a tool is called what another would become', () => {
    const stolen = toWireToolName('srv.get', 64)
    const messages = [user('go'), assistant(call('c', 'srv.get')), result('c', 'r')]
    const request = requestOf(messages, { tools: [tool('srv.get'), tool(stolen)] })
    const body = serialize(request, generic)
    const { toOriginalToolName } = encodeRequest(request, generic)
    const sent = (body['tools'] as { function: { name: string } }[]).map((each) => each.function.name)
    expect(sent[1]).toBe(stolen)
    expect(sent.map(toOriginalToolName)).toEqual(['srv.get', stolen])
    expect(body.messages[1]).toMatchObject({ tool_calls: [{ function: { name: sent[0] } }] })
  })

  it('gives an invented name back as it is', () => {
    expect(planToolNames([tool('a')], 64).toOriginal('made_up')).toBe('made_up')
  })
})
