import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { isJsonText, LlmError } from 'dsh-llm'
import { assertHeader, HEADER, parseCall, type RecordedCall, toLine, withoutMark } from './recorded-call.ts'
import { type LinePlace, scanLines } from './scan-lines.ts'

/** Files that somebody in this process writes, by device and inode. */
const written = new Set<string>()

/** A file that stays open while the plugin is loaded. Reads and writes happen at once, so calls cannot mix. */
export class RecordingFile {
  readonly path: string
  readonly #file: number
  /** A last line without a line break, and whether it is torn; known after a scan. */
  #openEnd: { readonly offset: number; readonly isTorn: boolean } | undefined
  #isClosed = false
  /** Once it is claimed for writing. */
  #identity: string | undefined

  private constructor(path: string, flags: string) {
    this.path = path
    const advice = flags === 'r' ? 'record it first' : 'check the path and its rights'
    try {
      if (flags !== 'r') mkdirSync(dirname(path), { recursive: true })
      // What was said may be private, so nobody else may read it.
      this.#file = openSync(path, flags, 0o600)
    } catch (error) {
      throw failed(`open the recording ${path}`, error, advice)
    }
    if (fstatSync(this.#file).isFile()) return
    closeSync(this.#file)
    throw failed(`open the recording ${path}`, 'it is no file', 'give the path of a file')
  }

  /** A new recording, which takes the place of one that is there; `INVALID_RECORDING` for a file that is none. */
  static create(path: string): RecordingFile {
    return RecordingFile.#toWrite(path, (file) => {
      file.#assertReplaceable()
      ftruncateSync(file.#file, 0)
      file.#append(HEADER)
    })
  }

  /** A recording to be read and continued; a new one if there is none. */
  static continue(path: string): RecordingFile {
    return RecordingFile.#toWrite(path, (file) => {
      if (fstatSync(file.#file).size === 0) file.#append(HEADER)
    })
  }

  /** A recording to be read; throws `INVALID_RECORDING` if there is none. */
  static open(path: string): RecordingFile {
    return new RecordingFile(path, 'r')
  }

  /** Appends only, and is the only one in this process that does; closed again if `prepare` throws. */
  static #toWrite(path: string, prepare: (file: RecordingFile) => void): RecordingFile {
    const file = new RecordingFile(path, 'a+')
    try {
      file.#claim()
      prepare(file)
      return file
    } catch (error) {
      file.close()
      throw error
    }
  }

  /** Two that write one file would take each other's calls away and give two calls one number. */
  #claim(): void {
    const { dev, ino } = fstatSync(this.#file)
    const identity = `${dev}:${ino}`
    if (written.has(identity))
      throw failed(
        `open the recording ${this.path}`,
        'another plugin of this process is writing it',
        'dispose of its host first, or give each a file of its own',
      )
    written.add(identity)
    this.#identity = identity
  }

  /** Whatever is no recording is somebody's, and stays. */
  #assertReplaceable(): void {
    const buffer = Buffer.alloc(HEADER.length)
    const begin = buffer.toString('utf8', 0, readSync(this.#file, buffer, 0, buffer.length, 0))
    if (HEADER.startsWith(withoutMark(begin))) return
    throw failed(
      `begin the recording ${this.path}`,
      'what stands there is no recording of this version',
      'remove it, or give another path',
    )
  }

  /**
   * Calls `visit` for each call, in order of the lines, and gives the number of a last line that was torn by a crash,
   * if it was. Any other bad line throws `INVALID_RECORDING` naming it.
   */
  scan(visit: (call: RecordedCall, place: LinePlace) => void): number | undefined {
    let tornLine: number | undefined
    let lines = 0
    scanLines(this.#file, (text, place) => {
      lines += 1
      const isTorn = !place.isEnded && !isJsonText(text) && (lines > 1 || HEADER.startsWith(text))
      if (!place.isEnded) this.#openEnd = { offset: place.offset, isTorn }
      if (isTorn) tornLine = place.line
      else this.#visit(text, place, visit)
    })
    if (lines === 0) throw this.#invalid(1, 'the file is empty and has no header')
    return tornLine
  }

  /** The call at a place that a scan gave. */
  read({ offset, bytes, line }: LinePlace): RecordedCall {
    this.#assertOpen()
    const buffer = Buffer.allocUnsafe(bytes)
    const count = readSync(this.#file, buffer, 0, bytes, offset)
    return this.#naming(line, () => parseCall(buffer.toString('utf8', 0, count)))
  }

  /** Adds a call and hands it to the system before it returns. Throws `INVALID_RECORDING` for one nobody could read. */
  append(call: RecordedCall): void {
    const line = toLine(call)
    // A pattern or a hook may have broken the shape; better no line than a bad one, which spoils the whole file.
    parseCall(line)
    this.#append(line)
  }

  /** Makes room for what is appended after a scan: takes a torn line away, ends a last line that nobody ended. */
  mend(): void {
    const end = this.#openEnd
    this.#openEnd = undefined
    if (end === undefined) return
    if (!end.isTorn) return this.#write('\n')
    ftruncateSync(this.#file, end.offset)
    if (end.offset === 0) this.#append(HEADER)
  }

  close(): void {
    this.#isClosed = true
    if (this.#identity !== undefined) written.delete(this.#identity)
    closeSync(this.#file)
  }

  /** The system gives the number of a closed file to the next that is opened, which is not ours. */
  #assertOpen(): void {
    if (!this.#isClosed) return
    throw new LlmError(
      `Could not use the recording ${this.path}: its plugin was unloaded; let calls end before you dispose of the host`,
      'INVALID_RECORDING',
    )
  }

  #visit(text: string, place: LinePlace, visit: (call: RecordedCall, place: LinePlace) => void): void {
    this.#naming(place.line, () => (place.line === 1 ? assertHeader(text) : visit(parseCall(text), place)))
  }

  /** Runs what reads a line; what it fails with then names the line. */
  #naming<Result>(line: number, read: () => Result): Result {
    try {
      return read()
    } catch (error) {
      throw this.#invalid(line, error)
    }
  }

  #append(line: string): void {
    this.#write(`${line}\n`)
  }

  /** All or nothing: half a line would spoil what is written behind it. */
  #write(text: string): void {
    this.#assertOpen()
    const { size } = fstatSync(this.#file)
    try {
      let rest = Buffer.from(text)
      while (rest.length > 0) rest = rest.subarray(writeSync(this.#file, rest))
    } catch (error) {
      ftruncateSync(this.#file, size)
      throw failed(`write to the recording ${this.path}`, error, 'make room and record again')
    }
  }

  #invalid(line: number, why: unknown): LlmError {
    const text = why instanceof Error ? why.message : String(why)
    return new LlmError(
      `Could not read line ${line} of the recording ${this.path}: ${text}; mend it or record again`,
      'INVALID_RECORDING',
    )
  }
}

function failed(what: string, why: unknown, advice: string): LlmError {
  const text = why instanceof Error ? why.message : String(why)
  return new LlmError(`Could not ${what}: ${text.slice(0, 200)}; ${advice}`, 'INVALID_RECORDING')
}
