import { assertNever, type AttemptChunk, type StreamChunk, type ToolCallBlock } from 'dsh-llm'
import type { Output } from './output.ts'
import { toPlainLine, toPlainText } from './plain-text.ts'
import type { Renderer } from './renderer.ts'
import { formatSeconds, toSummaryLine } from './summary-line.ts'
import type { ToolOutcome } from './tools/run-tool.ts'
import type { TurnReport } from './turn-report.ts'

/** What stands on the screen right now; two kinds are kept apart by a blank line. */
type Section = 'nothing' | 'reasoning' | 'text' | 'tools' | 'note'

// Enough to recognise a call and its result; the model sees them whole, and `--json` shows the calls whole.
const maxArgumentsLength = 100
const maxResultLines = 5
const maxResultLineLength = 100

/** Shows a turn to a person: reasoning dimmed, text as it comes, tools in short, figures at the end. */
export class TerminalRenderer implements Renderer {
  readonly #output: Output
  /** What was written last. */
  #section: Section = 'nothing'
  /** Whether the cursor stands behind text that no line break ended. */
  #isLineOpen = false

  constructor(output: Output) {
    this.#output = output
  }

  chunk(chunk: StreamChunk): void {
    switch (chunk.type) {
      case 'text-delta':
        this.#stream('text', chunk.text)
        return
      case 'reasoning-delta':
        this.#stream('reasoning', chunk.text)
        return
      case 'block-end':
        // Only now may the call be run (R4), and only now its arguments are whole.
        if (chunk.block.type === 'tool-call') this.#call(chunk.block)
        return
      case 'attempt':
        this.#attempt(chunk)
        return
      // Usage and finish are part of the last line of the turn.
      case 'block-start':
      case 'tool-call-delta':
      case 'usage':
      case 'finish':
        return
      default:
        assertNever(chunk, 'stream chunk')
    }
  }

  toolResult(name: string, { content, isError }: ToolOutcome): void {
    const { red, dim } = this.#output.colours
    const mark = isError ? red('failed') : 'gave'
    this.#line('tools', `← ${toPlainLine(name, maxArgumentsLength)} ${mark}`)
    for (const line of shorten(content)) this.#line('tools', dim(`    ${line}`))
  }

  turnEnd(report: TurnReport): void {
    this.#line('note', this.#output.colours.dim(toPlainText(toSummaryLine(report))))
    this.#section = 'nothing'
  }

  #call({ name, arguments: text }: ToolCallBlock): void {
    const { cyan } = this.#output.colours
    const shownName = cyan(toPlainLine(name, maxArgumentsLength))
    this.#line('tools', `→ ${shownName}(${toPlainLine(text, maxArgumentsLength)})`)
  }

  /** What is on the screen cannot be taken back, so it is declared void (R10). */
  #attempt({ failure, attempt, delayMs, next }: AttemptChunk): void {
    const isVoid = this.#section === 'reasoning' || this.#section === 'text' ? '; what came before is void' : ''
    const route = next === undefined ? '' : ` at ${next.provider}/${next.model}`
    const note = `${failure.code}, attempt ${attempt}${route} in ${formatSeconds(delayMs)}${isVoid}`
    this.#line('note', this.#output.colours.yellow(toPlainLine(note, 200)))
  }

  #stream(section: 'text' | 'reasoning', text: string): void {
    // An empty piece must not open a section: it would leave blank lines with nothing between them.
    if (text === '') return
    this.#enter(section)
    const plain = toPlainText(text)
    this.#output.write(section === 'reasoning' ? this.#output.colours.dim(plain) : plain)
    this.#isLineOpen = !plain.endsWith('\n')
  }

  #line(section: Section, line: string): void {
    this.#enter(section)
    this.#output.writeLine(line)
    this.#isLineOpen = false
  }

  /** Begins a section: closes an open line and leaves one blank line, except at the top. */
  #enter(section: Section): void {
    if (section === this.#section) return
    if (this.#isLineOpen) this.#output.write('\n')
    if (this.#section !== 'nothing') this.#output.write('\n')
    this.#section = section
    this.#isLineOpen = false
  }
}

/** The first lines of a tool result, and how many were left out. */
function shorten(content: string): string[] {
  const lines = content.trimEnd().split('\n')
  const shown = lines.slice(0, maxResultLines).map((line) => toPlainLine(line, maxResultLineLength))
  const omitted = lines.length - shown.length
  return omitted > 0 ? [...shown, `… ${omitted} more ${omitted === 1 ? 'line' : 'lines'}`] : shown
}
