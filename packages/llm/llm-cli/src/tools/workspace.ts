import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from './tool.ts'

/** The folder that tools may look into, as a real path: no link in it, no way out of it. */
export class Workspace {
  readonly #root: string

  private constructor(root: string) {
    this.#root = root
  }

  static async open(folder: string): Promise<Workspace> {
    return new Workspace(await realpath(folder))
  }

  /**
   * The real path behind what a model wrote. Refused when it is outside, by `..`, as an absolute path or through links; then
   * nothing outside was touched, so a refusal does not tell whether something is there.
   */
  async resolve(written: string): Promise<string> {
    const wanted = path.resolve(this.#root, written)
    this.#assertInside(wanted, written)
    const real = await realpath(wanted).catch(rejectAsToolError(written))
    // A link may lead out even though its own place is inside.
    this.#assertInside(real, written)
    return real
  }

  #assertInside(target: string, written: string): void {
    const relative = path.relative(this.#root, target)
    const isOutside = relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)
    if (isOutside) {
      throw new ToolError(`${quote(written)} leads out of the working directory, give a path below it`)
    }
  }
}

const explanations: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist, list its folder to see what does',
  ENOTDIR: 'is not a directory, or leads through something that is none',
  EACCES: 'may not be read',
  EPERM: 'may not be read',
  ELOOP: 'is a link that leads in circles',
  ENXIO: 'is not a regular file',
  ENAMETOOLONG: 'is too long a path',
  ERR_INVALID_ARG_VALUE: 'is not a legal path',
}

/**
 * For `catch` behind a system call: rejects with the error in words for the model, naming the path as the model wrote it
 * and no other one. A `ToolError` is in such words already.
 */
export function rejectAsToolError(written: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof ToolError) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN'
    throw new ToolError(`${quote(written)} ${explanations[code] ?? `cannot be read (${code})`}`)
  }
}

/** A name from outside inside a sentence: quoted, on one line, not too long. */
export function quote(written: string): string {
  return JSON.stringify(written.length > 200 ? `${written.slice(0, 200)}…` : written)
}
