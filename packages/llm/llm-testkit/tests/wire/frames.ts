/** The events of a rendered stream, parsed; comments are left out and the end marker stays a string. */
export function eventsOf(frames: readonly string[]): unknown[] {
  return frames
    .join('')
    .split(/\r?\n\r?\n/)
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => (frame === 'data: [DONE]' ? '[DONE]' : JSON.parse(frame.slice('data: '.length))))
}
