import { readSync } from 'node:fs'

/** Where a line stands in its file; bytes, and without the line break. */
export interface LinePlace {
  /** From 1. */
  readonly line: number
  readonly offset: number
  readonly bytes: number
  /** False for a last line without a line break. */
  readonly isEnded: boolean
}

const pageBytes = 1 << 16
const lineFeed = 10

/** Calls `visit` for each line of an open file, in order. Holds one line at a time, however large the file is. */
export function scanLines(file: number, visit: (text: string, place: LinePlace) => void): void {
  const page = Buffer.allocUnsafe(pageBytes)
  let pieces: Buffer[] = []
  let offset = 0
  let line = 1
  const end = (isEnded: boolean): void => {
    const bytes = Buffer.concat(pieces)
    pieces = []
    visit(bytes.toString('utf8'), { line, offset, bytes: bytes.length, isEnded })
    offset += bytes.length + 1
    line += 1
  }
  for (let position = 0; ;) {
    const count = readSync(file, page, 0, pageBytes, position)
    if (count === 0) break
    position += count
    let start = 0
    for (let at = page.indexOf(lineFeed); at !== -1 && at < count; at = page.indexOf(lineFeed, start)) {
      pieces.push(Buffer.from(page.subarray(start, at)))
      start = at + 1
      end(true)
    }
    pieces.push(Buffer.from(page.subarray(start, count)))
  }
  if (pieces.some((piece) => piece.length > 0)) end(false)
}
