const headerName = /^[\w!#$%&'*+.^`|~-]+$/
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/

/** Whether HTTP allows a header of this name and value; anything beyond Latin-1 and every line break is refused. */
export function isLegalHeader(name: string, value: string): boolean {
  return headerName.test(name) && headerValue.test(value)
}
