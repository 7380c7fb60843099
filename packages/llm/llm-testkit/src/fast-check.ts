export { type StreamArbitraries, streamArbitraries } from './stream/stream-arbitraries.ts'
export type { IllegalStream } from './stream/stream-mutations.ts'
