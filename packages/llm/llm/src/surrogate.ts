/** Whether a text ends inside a character: its last unit is the first half of a surrogate pair. */
export function endsInsideCharacter(text: string): boolean {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff
}
