import { type LlmFailure, normaliseFailure } from 'dsh-llm'
import type { EventStream, ServerEvent } from '../../src/index.ts'

/** Reads a stream to its end. */
export async function readAll(stream: EventStream): Promise<ServerEvent[]> {
  const all: ServerEvent[] = []
  for (let batch = await stream.read(); batch !== undefined; batch = await stream.read()) all.push(...batch)
  return all
}

/** The data of all events up to the end. */
export async function readData(stream: EventStream): Promise<string[]> {
  return (await readAll(stream)).map((event) => event.data)
}

/** The failure a promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<LlmFailure> {
  return normaliseFailure(await rejection(promise))
}

/** What a promise rejects with; it is an error of the test if it does not. */
export function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => Promise.reject(new Error('Expected a rejection')),
    (error: unknown) => error,
  )
}
