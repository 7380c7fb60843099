import { type BodyKind, BodyKindDetector } from './body-kind.ts'
import type { ResponseHeaders } from './transport.ts'

/** The bytes that showed what a body is; they belong to it and come first. */
export interface Beginning {
  readonly begun: readonly Uint8Array[]
  readonly kind: Exclude<BodyKind, 'open'>
}

/** Reads until the first bytes show the kind of a body. What `read` rejects with comes through. */
export async function readBeginning(
  headers: ResponseHeaders,
  read: () => Promise<readonly Uint8Array[] | undefined>,
): Promise<Beginning> {
  const detector = new BodyKindDetector(headers['content-type'])
  const begun: Uint8Array[] = []
  for (;;) {
    const pieces = await read()
    // What is blank or no field to its very end holds no event either: the reader sees an end without any.
    if (pieces === undefined) return { begun, kind: 'events' }
    let kind: BodyKind = 'open'
    for (const piece of pieces) {
      begun.push(piece)
      if (kind === 'open') kind = detector.add(piece)
    }
    if (kind !== 'open') return { begun, kind }
  }
}
