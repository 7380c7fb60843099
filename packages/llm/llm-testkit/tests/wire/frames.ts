/** The events of a rendered stream, parsed; comments are left out and the end marker stays a string. */
export function eventsOf(frames: readonly string[]): unknown[] {
  return frames
    .join('')
    .split(/\r?\n\r?\n/)
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => (frame === 'data: [DONE]' ? '[DONE]' : JSON.parse(frame.slice('data: '.length))))
}

/** The events of a rendered stream that names them, parsed. Throws when a name is not the type of its event. */
export function namedEventsOf(frames: readonly string[]): Record<string, unknown>[] {
  return frames.map((frame) => {
    const [, name, json = ''] = /^event: (.+)\ndata: (.+)\n\n$/.exec(frame) ?? []
    const event = JSON.parse(json) as Record<string, unknown>
    if (event['type'] !== name) throw new Error(`The event named ${name} has another type: ${json}`)
    return event
  })
}
