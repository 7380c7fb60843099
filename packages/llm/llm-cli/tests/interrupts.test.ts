import { describe, expect, it } from 'vitest'
import { Interrupts } from '../src/interrupts.ts'

function make(): { interrupts: Interrupts; press: () => void; listeners: Set<() => void> } {
  const listeners = new Set<() => void>()
  const interrupts = new Interrupts({
    onInterrupt(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  })
  return { interrupts, listeners, press: () => listeners.forEach((listener) => listener()) }
}

describe('Interrupts', () => {
  it('quits when nothing runs', () => {
    const { interrupts, press } = make()
    press()
    expect(interrupts.quit.aborted).toBe(true)
  })

  it('aborts what runs first, and quits at the second press', async () => {
    const { interrupts, press } = make()
    await interrupts.guard(async (signal) => {
      press()
      expect([signal.aborted, interrupts.quit.aborted]).toEqual([true, false])
      press()
      expect(interrupts.quit.aborted).toBe(true)
    })
  })

  it('gives the next piece of work a fresh signal', async () => {
    const { interrupts, press } = make()
    await interrupts.guard(async () => press())
    const isAborted = await interrupts.guard(async (signal) => signal.aborted)
    expect([isAborted, interrupts.quit.aborted]).toEqual([false, false])
  })

  it('forgets work that failed', async () => {
    const { interrupts, press } = make()
    await expect(interrupts.guard(() => Promise.reject(new Error('bug')))).rejects.toThrow('bug')
    press()
    expect(interrupts.quit.aborted).toBe(true)
  })

  it('leaves no listener behind', () => {
    const { interrupts, listeners } = make()
    expect(listeners.size).toBe(1)
    interrupts[Symbol.dispose]()
    expect(listeners.size).toBe(0)
  })
})
