import { type AdapterRequest, type ChunkWriter, LlmError, type StreamChunk } from 'dsh-llm'
import { describe, expect, it } from 'vitest'
import type { AdapterConnection } from '../src/index.ts'
import { catchFault } from './support/catch-fault.ts'
import { PlainAdapter, type WireCall, type WireEvent } from './support/plain-adapter.ts'
import { plainSetup } from './support/plain-setup.ts'

class OneModel extends PlainAdapter {
  protected override body(request: AdapterRequest): object {
    return super.body({ ...request, model: 'the-only-one' })
  }
}

class Reverses extends PlainAdapter {
  protected override body(request: AdapterRequest): object {
    return super.body({ ...request, messages: request.messages.toReversed() })
  }
}

class DropsCallIds extends PlainAdapter {
  protected override body(request: AdapterRequest): object {
    const drop = (name: string, value: unknown): unknown => (name === 'toolCallId' ? undefined : value)
    return JSON.parse(JSON.stringify(super.body(request), drop)) as object
  }
}

class DropsFailures extends PlainAdapter {
  protected override body(request: AdapterRequest): object {
    const drop = (name: string, value: unknown): unknown => (name === 'isError' ? undefined : value)
    return JSON.parse(JSON.stringify(super.body(request), drop)) as object
  }
}

class DropsSchemas extends PlainAdapter {
  protected override body(request: AdapterRequest): object {
    const tools = request.tools?.map(({ name, description }) => ({ name, description, parameters: {} }))
    return super.body({ ...request, tools })
  }
}

class MintsIds extends PlainAdapter {
  protected override call({ index, function: piece }: WireCall, writer: ChunkWriter): StreamChunk[] {
    return writer.toolCall(index, { id: `own-${index}`, ...piece })
  }
}

class SkipsWhatItCannotRead extends PlainAdapter {
  protected override parse(data: string): WireEvent {
    try {
      return super.parse(data)
    } catch {
      return {}
    }
  }
}

class ThrowsWhatIsNoError extends PlainAdapter {
  protected override parse(data: string): WireEvent {
    try {
      return super.parse(data)
    } catch {
      throw 'no JSON'
    }
  }
}

class TellsItsKey extends PlainAdapter {
  readonly #apiKey: string

  constructor(connection: AdapterConnection) {
    super(connection)
    this.#apiKey = connection.apiKey
  }

  protected override finish(finish: string | null, writer: ChunkWriter, response: Response): StreamChunk[] {
    if (finish === null) throw new LlmError(`The stream of ${this.#apiKey} was cut`, 'STREAM_CLOSED')
    return super.finish(finish, writer, response)
  }
}

class WaitsForTheEnd extends PlainAdapter {
  protected override async *translate(response: Response, writer: ChunkWriter): AsyncGenerator<StreamChunk> {
    yield* super.translate(new Response(await response.text(), response), writer)
  }
}

class KeepsAnotherKey extends PlainAdapter {
  constructor(connection: AdapterConnection) {
    super({ ...connection, apiKey: 'found-at-import' })
  }
}

class AsksTwice extends PlainAdapter {
  protected override async send(request: AdapterRequest, signal: AbortSignal): Promise<Response> {
    await (await super.send(request, signal)).text()
    return super.send(request, signal)
  }
}

class OneAtATime extends PlainAdapter {
  #last: Promise<unknown> = Promise.resolve()

  override async *stream(request: AdapterRequest): AsyncGenerator<StreamChunk> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = this.#last
    this.#last = promise
    await before
    try {
      yield* super.stream(request)
    } finally {
      resolve()
    }
  }
}

type Fault = readonly [
  fault: string,
  rule: string,
  check: string,
  broken: new (connection: AdapterConnection) => PlainAdapter,
]

const faults: readonly Fault[] = [
  ['asks another model', 'A7', 'asks for the model of the request', OneModel],
  ['sends messages in another order', 'A7', 'carries a whole conversation', Reverses],
  ['parts a result from its call', 'A7', 'carries a whole conversation', DropsCallIds],
  ['forgets that a tool failed', 'A7', 'tells a tool that failed from one that did not', DropsFailures],
  ['leaves the schemas of tools out', 'A7', 'carries a whole conversation', DropsSchemas],
  ['gives calls ids of its own', 'R5', 'keeps the id that the wire gives a call', MintsIds],
  ['skips what it cannot read', 'A3', 'tells a frame that cannot be read as a failure', SkipsWhatItCannotRead],
  ['throws a string', 'A3', 'tells a frame that cannot be read as a failure', ThrowsWhatIsNoError],
  ['tells its key', 'A3', 'takes a body that ends too early for no answer', TellsItsKey],
  ['waits for the end', 'A5', 'finishes at the end marker, though the connection stays open', WaitsForTheEnd],
  ['keeps another key', 'A6', 'sends the key it was built with', KeepsAnotherKey],
  ['asks twice', 'A1', 'tells text', AsksTwice],
  ['serves one call at a time', 'A9', 'serves a call while another one waits', OneAtATime],
]

describe('adapterContract: adapters that lose or mix up what they carry', () => {
  it.each(faults)('an adapter that %s breaks %s', async (_, rule, check, BrokenAdapter) => {
    const createAdapter = (connection: AdapterConnection): PlainAdapter => new BrokenAdapter(connection)
    const error = await catchFault({ ...plainSetup, createAdapter }, check)
    expect([error.name, error.rule]).toEqual(['ContractError', rule])
    expect(error.message).toContain(`BrokenAdapter, "${check}": Breaks ${rule}: `)
    expect(error.message).toContain(`To fix: ${error.fix}`)
  })
})
