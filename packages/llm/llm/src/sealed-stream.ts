import { type ChunkResult, DONE, SingleUseStream } from './chunk-iterator.ts'
import { LlmError } from './error.ts'
import { printed } from './printed.ts'
import type { StreamChunk } from './types.ts'

/** What a listener may have returned: an iterable, a promise of one, or, if it is at fault, anything. */
export type ListenerResult = AsyncIterable<StreamChunk> | Promise<AsyncIterable<StreamChunk>>

/** Told about the error of a listener before it travels on. */
export type Blame = (error: unknown) => void

/** Takes the answers to pulls; neither of its functions throws. */
export interface ChunkReader {
  readonly take: (result: ChunkResult) => void
  readonly fail: (error: unknown) => void
}

type Source = AsyncIterator<StreamChunk> | Iterator<StreamChunk>

/**
 * What a listener returned, made lazy and single-use, and held to the one rule a listener can break: exactly one
 * `finish`, last (L7). Its own errors pass unchanged, after they were reported under the plugin's name.
 */
export class SealedStream extends SingleUseStream {
  readonly #result: unknown
  readonly #plugin: string
  readonly #blame: Blame
  #source: Source | undefined
  #opening: Promise<unknown> | undefined
  #reader: ChunkReader | undefined
  #finished = false
  #over = false
  /** What came behind the finish: asked for at once, so that the listener's clean-up does not wait for the reader. */
  #tail: Promise<ChunkResult> | undefined

  constructor(result: ListenerResult, plugin: string, blame: Blame) {
    super()
    this.#result = result
    this.#plugin = plugin
    this.#blame = blame
    // Until somebody reads, a rejection has no other handler; the waterfall has reported it already.
    if (result instanceof Promise) result.catch(() => {})
  }

  next(): Promise<ChunkResult> {
    if (this.#tail !== undefined) return this.#takeTail(this.#tail)
    if (this.#over) return Promise.resolve(DONE)
    if (this.#source === undefined) return this.#open()
    return this.#pull(this.#source)
  }

  async return(): Promise<ChunkResult> {
    if (this.#over) return DONE
    this.#over = true
    try {
      // A listener that nobody read has not been opened, and then has nothing to clean up.
      await this.#source?.return?.()
    } catch (error) {
      this.#blame(error)
      throw error
    }
    return DONE
  }

  /** A second pull before the first was answered waits its turn, since a listener's result is opened once. */
  #open(): Promise<ChunkResult> {
    if (this.#opening !== undefined) return this.#opening.then(() => this.next())
    const first = this.#openAndPull()
    this.#opening = first.catch(() => {})
    return first
  }

  async #openAndPull(): Promise<ChunkResult> {
    // The waterfall has reported a rejection of the promise itself.
    const result = await this.#awaited()
    if (this.#over) return DONE
    try {
      this.#source = toIterator(result, this.#plugin)
    } catch (error) {
      return this.#rejected(error)
    }
    return this.#pull(this.#source)
  }

  async #awaited(): Promise<unknown> {
    try {
      return await this.#result
    } catch (error) {
      this.#over = true
      if (!(this.#result instanceof Promise)) this.#blame(error)
      throw error
    }
  }

  /** As `next`, but hands the answer to a reader of ours, which spares a promise for each chunk. */
  nextInto(reader: ChunkReader): void {
    if (this.#tail !== undefined || this.#over || this.#source === undefined) {
      this.next().then(reader.take, reader.fail)
      return
    }
    this.#reader = reader
    try {
      Promise.resolve(this.#source.next()).then(this.#hand, this.#handFailure)
    } catch (error) {
      this.#handFailure(error)
    }
  }

  readonly #hand = (result: IteratorResult<StreamChunk>): void => {
    try {
      this.#reader?.take(this.#check(result))
    } catch (error) {
      this.#reader?.fail(error)
    }
  }

  readonly #handFailure = (error: unknown): void => {
    this.#over = true
    this.#blame(error)
    this.#reader?.fail(error)
  }

  #pull(source: Source): Promise<ChunkResult> {
    try {
      return Promise.resolve(source.next()).then(this.#check, this.#rejected)
    } catch (error) {
      return Promise.resolve(error).then(this.#rejected)
    }
  }

  readonly #check = (result: IteratorResult<StreamChunk>): ChunkResult => {
    // The reader has left meanwhile: a listener that ends its stream then does what it should.
    if (this.#over && !this.#finished) return DONE
    let fault: string | undefined
    try {
      if (!this.#finished && !this.#over && isDelta(result)) return result as ChunkResult
      fault = this.#faultOf(result)
    } catch (error) {
      return this.#rejected(error)
    }
    if (fault !== undefined) return this.#breach(fault)
    if (this.#over) return DONE
    if (this.#finished) this.#finishListener()
    return result as ChunkResult
  }

  #finishListener(): void {
    if (this.#source === undefined) return
    this.#tail = this.#pull(this.#source)
    // A reader that stops at the finish never asks; its fault was reported all the same.
    this.#tail.catch(() => {})
  }

  #takeTail(tail: Promise<ChunkResult>): Promise<ChunkResult> {
    this.#tail = undefined
    return tail
  }

  #faultOf(result: IteratorResult<StreamChunk>): string | undefined {
    if (!isObject(result)) return 'its iterator gave no iterator result'
    if (result.done) {
      this.#over = true
      return this.#finished ? undefined : 'its stream ended without a finish'
    }
    const chunk: StreamChunk = result.value
    if (!isObject(chunk) || !chunkTypes.has(chunk.type)) return 'it yielded something that is no chunk'
    if (this.#finished) return `it yielded a ${chunk.type} chunk after the finish`
    if (chunk.type !== 'finish') return undefined
    this.#finished = true
    return isObject(chunk.reason) && typeof chunk.reason.kind === 'string'
      ? undefined
      : 'its finish has no reason'
  }

  /** Lets the listener clean up without waiting: the breach is the first fault and the one worth telling. */
  #breach(what: string): never {
    try {
      Promise.resolve(this.#source?.return?.()).catch(() => {})
    } catch {
      // As above.
    }
    return this.#rejected(listenerFault(this.#plugin, what))
  }

  readonly #rejected = (error: unknown): never => {
    this.#over = true
    this.#blame(error)
    throw error
  }
}

/** Plain JavaScript can yield anything, and readers may rely on the closed union. */
const chunkTypes: ReadonlySet<StreamChunk['type']> = new Set<StreamChunk['type']>([
  'block-start',
  'text-delta',
  'reasoning-delta',
  'tool-call-delta',
  'block-end',
  'usage',
  'attempt',
  'finish',
])

/** The chunks that come by the thousand, told without a look-up. */
function isDelta(result: IteratorResult<StreamChunk>): boolean {
  if (!isObject(result) || result.done || !isObject(result.value)) return false
  const { type } = result.value
  return type === 'text-delta' || type === 'reasoning-delta' || type === 'tool-call-delta'
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function toIterator(result: unknown, plugin: string): Source {
  if (result === undefined)
    throw listenerFault(plugin, 'it returned nothing; return next() or a stream of its own')
  if (isObject(result)) {
    const iterable = result as Partial<AsyncIterable<StreamChunk> & Iterable<StreamChunk>>
    const iterator = iterable[Symbol.asyncIterator]?.() ?? iterable[Symbol.iterator]?.()
    if (iterator !== undefined) return iterator
  }
  throw listenerFault(plugin, `it returned ${printed(result)} instead of a stream`)
}

function listenerFault(plugin: string, what: string): LlmError {
  return new LlmError(`The llm/stream listener of plugin "${plugin}" is at fault: ${what}`, 'LISTENER_PROTOCOL')
}
