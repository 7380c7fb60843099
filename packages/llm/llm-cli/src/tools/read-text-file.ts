import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { parsePath, pathParameters } from './path-input.ts'
import { type Tool, ToolError } from './tool.ts'
import { quote, rejectAsToolError } from './workspace.ts'

// What a model can take in at once, roughly 64,000 tokens.
const maxBytes = 256 * 1024

/** Reads a whole UTF-8 file below the working directory; large, binary and special files are refused. */
export const readTextFile: Tool = {
  schema: {
    name: 'read_text_file',
    description: `Reads a UTF-8 text file below the working directory, at most ${maxBytes} bytes.`,
    parameters: pathParameters('File, relative to the working directory'),
  },
  async run(input, workspace) {
    const written = parsePath(input)
    const real = await workspace.resolve(written)
    const bytes = await readBounded(real, written).catch(rejectAsToolError(written))
    return toText(bytes, written)
  },
}

async function readBounded(real: string, written: string): Promise<Buffer> {
  // The path is real already, so a link here was put in place just now; and a pipe must not make us wait.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  await using file = await open(real, flags)
  if (!(await file.stat()).isFile()) throw new ToolError(`${quote(written)} is not a regular file`)
  // One byte more than allowed, to know a file that is too large from one that just fits.
  return await readAtMost(file, maxBytes + 1)
}

/** The size that a file reports is not trusted: it may grow, and some files report none. */
async function readAtMost(file: FileHandle, limit: number): Promise<Buffer> {
  const buffer = Buffer.alloc(limit)
  let length = 0
  while (length < limit) {
    const { bytesRead } = await file.read(buffer, length, limit - length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}

/** Refused rather than repaired: a model would take replacement characters for what the file says. */
function toText(bytes: Buffer, written: string): string {
  if (bytes.length > maxBytes) {
    throw new ToolError(`${quote(written)} is too large: more than ${maxBytes} bytes, which is the limit`)
  }
  // Legal in UTF-8, but no text file has one.
  if (bytes.includes(0)) throw new ToolError(`${quote(written)} is a binary file, only text can be read`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes) || '(the file is empty)'
  } catch {
    throw new ToolError(`${quote(written)} is not UTF-8 text, only UTF-8 can be read`)
  }
}
