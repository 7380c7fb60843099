/** How server-sent events are framed. */
export interface SseFraming {
  /** Line end; `\n` by default, some servers send `\r\n`. */
  readonly eol?: '\n' | '\r\n' | '\r' | undefined
  /** Whether a final `data: [DONE]` follows; true by default. */
  readonly done?: boolean | undefined
}

/**
 * One `data:` frame for each event. A string is JSON Lines (a recorded stream) whose lines are kept byte for byte, blank
 * ones left out; in a list, strings are kept as they are and everything else is written as JSON.
 */
export function sseFrames(events: string | readonly unknown[], framing: SseFraming = {}): string[] {
  const list = typeof events === 'string' ? lines(events) : events
  return framed(list.map(toData), framing)
}

/** An event that tells its name twice: on the `event` line and as `type` of its JSON. */
export interface NamedEvent {
  readonly type: string
  readonly [field: string]: unknown
}

/** One frame for each event, named after its type. */
export function namedSseFrames(events: readonly NamedEvent[], framing: SseFraming = {}): string[] {
  const { eol = '\n' } = framing
  return framed(
    events.map((event) => `event: ${event.type}${eol}${toData(event)}`),
    framing,
  )
}

/** A comment frame, which servers send to keep a waiting connection alive. */
export function sseComment(text: string, { eol = '\n' }: Pick<SseFraming, 'eol'> = {}): string {
  return `: ${text}${eol}${eol}`
}

function lines(jsonLines: string): string[] {
  return jsonLines.split(/\r?\n/).filter((line) => line.trim() !== '')
}

function toData(event: unknown): string {
  return `data: ${typeof event === 'string' ? event : JSON.stringify(event)}`
}

function framed(bodies: readonly string[], { eol = '\n', done = true }: SseFraming): string[] {
  return [...bodies, ...(done ? ['data: [DONE]'] : [])].map((body) => body + eol + eol)
}
