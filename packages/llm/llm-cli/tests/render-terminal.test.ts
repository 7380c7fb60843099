import { CallId, createFailure, FinishOutcome, type StreamChunk } from 'dsh-llm'
import { describe, expect, it } from 'vitest'
import { TerminalRenderer } from '../src/render-terminal.ts'
import { record } from './screen.ts'

const failure = createFailure('Slow down', 'RATE_LIMIT', { status: 429 })

function text(piece: string): StreamChunk {
  return { type: 'text-delta', index: 1, text: piece }
}

function reasoning(piece: string): StreamChunk {
  return { type: 'reasoning-delta', index: 0, text: piece }
}

function call(name: string, written: string): StreamChunk {
  return {
    type: 'block-end',
    index: 2,
    block: { type: 'tool-call', id: CallId('c1'), name, arguments: written },
  }
}

function stop(): FinishOutcome {
  return new FinishOutcome({ type: 'finish', reason: { kind: 'stop' } })
}

function show(act: (renderer: TerminalRenderer) => void, tty = false): string {
  const { output, text: written } = record({ tty })
  act(new TerminalRenderer(output))
  return written()
}

function showChunks(...chunks: StreamChunk[]): string {
  return show((renderer) => chunks.forEach((chunk) => renderer.chunk(chunk)))
}

describe('TerminalRenderer', () => {
  it('lets text through as it comes', () => {
    expect(showChunks(text('Hel'), text('lo'))).toBe('Hello')
  })

  it('keeps reasoning and text apart by one blank line, whether or not a line is open', () => {
    expect(showChunks(reasoning('Hm.'), text('Yes'))).toBe('Hm.\n\nYes')
    expect(showChunks(reasoning('Hm.\n'), text('Yes'))).toBe('Hm.\n\nYes')
  })

  it('begins no section for an empty piece', () => {
    expect(showChunks(reasoning(''), text('Yes'))).toBe('Yes')
  })

  it('dims reasoning and leaves text alone on a terminal', () => {
    const shown = show((renderer) => {
      renderer.chunk(reasoning('Hm.'))
      renderer.chunk(text('Yes'))
    }, true)
    expect(shown).toBe('\u001b[2mHm.\u001b[22m\n\nYes')
  })

  it('shows a call on one line when it is whole, and its result in short', () => {
    const shown = show((renderer) => {
      renderer.chunk({ type: 'tool-call-delta', index: 2, id: CallId('c1'), name: 'look', argumentsDelta: '{' })
      renderer.chunk(call('look', `{"path":\n"${'x'.repeat(200)}"}`))
      renderer.toolResult('look', { content: 'a\nb\nc\nd\ne\nf\ng\n', isError: false })
    })
    expect(shown).toBe(
      `→ look({"path": "${'x'.repeat(89)}…)\n← look gave\n    a\n    b\n    c\n    d\n    e\n    … 2 more lines\n`,
    )
  })

  it('says that a tool failed', () => {
    const shown = show((renderer) => renderer.toolResult('look', { content: 'No', isError: true }))
    expect(shown).toBe('← look failed\n    No\n')
  })

  it('announces the next attempt, and that what was shown is void', () => {
    const attempt: StreamChunk = { type: 'attempt', attempt: 2, failure, delayMs: 1_500 }
    expect(showChunks(attempt)).toBe('RATE_LIMIT, attempt 2 in 1.5 s\n')
    expect(showChunks(text('Hel'), attempt, text('Hello'))).toBe(
      'Hel\n\nRATE_LIMIT, attempt 2 in 1.5 s; what came before is void\n\nHello',
    )
  })

  it('names the route of the next attempt when it changes', () => {
    const next = { provider: 'spare', model: 'm2' }
    expect(showChunks({ type: 'attempt', attempt: 3, failure, delayMs: 0, next })).toBe(
      'RATE_LIMIT, attempt 3 at spare/m2 in 0 s\n',
    )
  })

  it('ends a turn with its figures and begins the next one at the top', () => {
    const report = { finish: stop(), calls: 1, usage: { outputTokens: 7 }, firstContentMs: 340 }
    const shown = show((renderer) => {
      renderer.chunk(text('Yes'))
      renderer.turnEnd(report)
      renderer.chunk(text('Again'))
    })
    expect(shown).toBe('Yes\n\nstop · 7 out · first content after 0.34 s\nAgain')
  })

  it('obeys no control character of model, tool or provider', () => {
    const evil = '\u001b[2J\u009b1A\r'
    const shown = show((renderer) => {
      renderer.chunk(text(evil))
      renderer.chunk(reasoning(evil))
      renderer.chunk(call(evil, evil))
      renderer.toolResult(evil, { content: evil, isError: false })
      const odd = createFailure('x', evil)
      renderer.chunk({
        type: 'attempt',
        attempt: 2,
        failure: odd,
        delayMs: 0,
        next: { provider: evil, model: evil },
      })
      const finish = new FinishOutcome({ type: 'finish', reason: { kind: 'error', failure: odd } })
      renderer.turnEnd({ finish, calls: 1, usage: {} })
    })
    expect(shown).not.toMatch(/[\p{Cc}--\n]/v)
    expect(shown).toContain('␛[2J')
  })
})
