import { expectTypeOf, test } from 'vitest'
import { type CallId, type ContentBlockOf, type Message, MessageId } from '../src/index.ts'

test('ids of different kinds cannot be mixed', () => {
  expectTypeOf(MessageId('a')).toExtend<string>()
  expectTypeOf<MessageId>().not.toExtend<CallId>()
  expectTypeOf<string>().not.toExtend<CallId>()
  expectTypeOf<Message['id']>().toEqualTypeOf<MessageId>()
  expectTypeOf<ContentBlockOf<'tool-call'>['id']>().toEqualTypeOf<CallId>()
})
