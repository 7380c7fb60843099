import { type ChunkIterator, type ChunkResult, DONE, SingleUse } from './chunk-iterator.ts'
import { LlmError } from './error.ts'
import type { StreamChunk } from './types.ts'

/** What a listener may have returned: an iterable, a promise of one, or, if it is at fault, anything. */
export type ListenerResult = AsyncIterable<StreamChunk> | Promise<AsyncIterable<StreamChunk>>

/** Told about the error of a listener before it travels on. */
export type Blame = (error: unknown) => void

type Source = AsyncIterator<StreamChunk> | Iterator<StreamChunk>

/**
 * What a listener returned, made lazy and single-use, and held to the one rule a listener can break: exactly one
 * `finish`, last (L7). Its own errors pass unchanged, after they were reported under the plugin's name.
 */
export class SealedStream implements ChunkIterator {
  readonly #result: unknown
  readonly #plugin: string
  readonly #blame: Blame
  readonly #singleUse = new SingleUse()
  #source: Source | undefined
  #finished = false
  #over = false

  constructor(result: ListenerResult, plugin: string, blame: Blame) {
    this.#result = result
    this.#plugin = plugin
    this.#blame = blame
    // Until somebody reads, a rejection has no other handler; the waterfall has reported it already.
    if (result instanceof Promise) result.catch(() => {})
  }

  [Symbol.asyncIterator](): this {
    this.#singleUse.take()
    return this
  }

  next(): Promise<ChunkResult> {
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

  async #open(): Promise<ChunkResult> {
    try {
      this.#source = toIterator(await this.#result, this.#plugin)
    } catch (error) {
      return this.#rejected(error)
    }
    return this.#over ? DONE : this.#pull(this.#source)
  }

  #pull(source: Source): Promise<ChunkResult> {
    try {
      return Promise.resolve(source.next()).then(this.#check, this.#rejected)
    } catch (error) {
      return Promise.resolve(error).then(this.#rejected)
    }
  }

  readonly #check = (result: IteratorResult<StreamChunk>): ChunkResult | Promise<ChunkResult> => {
    if (typeof result !== 'object' || result === null) return this.#breach('its iterator gave no iterator result')
    if (result.done === true) return this.#end()
    const chunk: StreamChunk = result.value
    if (typeof chunk !== 'object' || chunk === null) return this.#breach('it yielded something that is no chunk')
    if (this.#finished) return this.#breach(`it yielded a ${chunk.type} chunk after the finish`)
    if (chunk.type === 'finish') this.#finished = true
    return result as ChunkResult
  }

  #end(): ChunkResult | Promise<ChunkResult> {
    this.#over = true
    return this.#finished ? DONE : this.#breach('its stream ended without a finish')
  }

  async #breach(what: string): Promise<ChunkResult> {
    const error = listenerFault(this.#plugin, what)
    const source = this.#source
    this.#over = true
    try {
      await source?.return?.()
    } catch {
      // The breach is the first fault and the one worth telling.
    }
    return this.#rejected(error)
  }

  readonly #rejected = (error: unknown): never => {
    this.#over = true
    this.#blame(error)
    throw error
  }
}

function toIterator(result: unknown, plugin: string): Source {
  if (result === undefined) throw listenerFault(plugin, 'it returned nothing; return next() or a stream of its own')
  if (typeof result === 'object' && result !== null) {
    const iterable = result as Partial<AsyncIterable<StreamChunk> & Iterable<StreamChunk>>
    const iterator = iterable[Symbol.asyncIterator]?.() ?? iterable[Symbol.iterator]?.()
    if (iterator !== undefined) return iterator
  }
  throw listenerFault(plugin, `it returned ${describe(result)} instead of a stream`)
}

function listenerFault(plugin: string, what: string): LlmError {
  return new LlmError(`The llm/stream listener of plugin "${plugin}" is at fault: ${what}`, 'LISTENER_PROTOCOL')
}

function describe(value: unknown): string {
  return value === null ? 'null' : typeof value === 'object' ? 'an object that is not iterable' : `a ${typeof value}`
}
