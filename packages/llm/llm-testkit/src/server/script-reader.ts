import { type Answer, type Script, type ScriptStep, jsonAnswer } from './answer.ts'
import type { ReceivedRequest } from './received-request.ts'
import type { RequestRecord } from './request-record.ts'

/** Which script answers what: first the one of `routes` by its exact key, then `script`. Each counts for itself. */
export interface Scripts {
  readonly script?: Script | undefined
  readonly routes?: Readonly<Record<string, Script>> | undefined
  /** The key of a request in `routes`, its path by default; a model or a header keeps parallel tests on one server apart. */
  readonly routeOf?: ((request: ReceivedRequest) => string) | undefined
}

/**
 * A function that gives each request its answer and notes the step on the record. It never rejects: a script that
 * throws, is exhausted, or is missing for a path answers with a JSON body that says so.
 */
export function createScriptReader({
  script,
  routes,
  routeOf,
}: Scripts): (record: RequestRecord) => Promise<Answer> {
  const fallback = script === undefined ? undefined : new ScriptCursor(script)
  const cursors = new Map(Object.entries(routes ?? {}).map(([path, route]) => [path, new ScriptCursor(route)]))
  return async (record) => {
    try {
      const key = routeOf === undefined ? record.path : routeOf(record)
      const cursor = cursors.get(key) ?? fallback
      if (cursor === undefined) return missing(key, routeOf === undefined ? 'path' : 'route')
      return await cursor.answer(record)
    } catch (error) {
      record.failure = error
      return complaint(500, `The script threw: ${String(error)}`, 'script_failed')
    }
  }
}

class ScriptCursor {
  private position = 0
  private readonly script: Script

  constructor(script: Script) {
    this.script = script
  }

  async answer(record: RequestRecord): Promise<Answer> {
    const index = this.position++
    record.answerIndex = index
    const step = this.step(index)
    return typeof step === 'function' ? await step(record, index) : step
  }

  private step(index: number): ScriptStep {
    if (typeof this.script === 'function') return this.script
    const exhausted = `The script is exhausted: it answers ${this.script.length} and this is request ${index + 1}; add an answer`
    return this.script[index] ?? complaint(500, exhausted, 'script_exhausted')
  }
}

function missing(key: string, kind: string): Answer {
  return complaint(404, `No script serves the ${kind} ${key}`, 'no_script')
}

function complaint(status: number, message: string, type: string): Answer {
  return jsonAnswer({ error: { message, type, param: null, code: null } }, { status })
}
