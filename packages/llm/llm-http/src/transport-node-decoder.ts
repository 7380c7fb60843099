import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { LlmError } from 'dsh-llm'
import type { ByteQueue, ByteQueueFlow } from './byte-queue.ts'

/** Decodes one compressed body on its way into a queue, passing back-pressure on in both directions. */
export interface ContentDecoder extends ByteQueueFlow {
  write(piece: Uint8Array): void
  end(): void
}

// A decoder that meets the end of a cut body gives out what it has; whoever reads the events sees that the end is missing.
const makers = {
  gzip: () => createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }),
  'x-gzip': () => createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }),
  deflate: () => createInflate({ finishFlush: constants.Z_SYNC_FLUSH }),
  br: () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }),
}

/**
 * The decoder of a `content-encoding`, for servers that compress although `identity` was asked for; `undefined` if the
 * body is plain. Broken bytes, and an encoding that is not known, fail the queue with `MALFORMED_RESPONSE`.
 */
export function createContentDecoder(
  encoding: string | undefined,
  queue: ByteQueue,
  source: ByteQueueFlow,
): ContentDecoder | undefined {
  const name = encoding?.trim().toLowerCase() ?? ''
  if (name === '' || name === 'identity') return undefined
  if (!isKnown(name)) {
    queue.fail(
      malformed(
        `Cannot read an answer in the content encoding ${name.slice(0, 40)}; turn it off at the server or proxy`,
      ),
    )
    return undefined
  }
  const stream = makers[name]()
  stream.on('data', (piece: Uint8Array) => queue.push(piece))
  stream.on('end', () => queue.end())
  stream.on('drain', () => source.resume())
  stream.on('error', (cause) => queue.fail(malformed(`Cannot decode the ${name} body of the answer`, cause)))
  return {
    write(piece) {
      if (!stream.write(piece)) source.pause()
    },
    end: () => stream.end(),
    pause: () => stream.pause(),
    resume: () => stream.resume(),
  }
}

function isKnown(name: string): name is keyof typeof makers {
  return Object.hasOwn(makers, name)
}

function malformed(message: string, cause?: unknown): LlmError {
  return new LlmError(message, 'MALFORMED_RESPONSE', { cause })
}
