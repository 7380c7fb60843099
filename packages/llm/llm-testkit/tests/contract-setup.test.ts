import { describe, expect, it } from 'vitest'
import { adapterContract, chatCompletions, ContractError, ScriptedAdapter } from '../src/index.ts'
import { catchFault } from './support/catch-fault.ts'
import { plainSetup } from './support/plain-setup.ts'

function names(setup: Parameters<typeof adapterContract>[1]): readonly string[] {
  return adapterContract('A', setup).map(({ name }) => name)
}

describe('adapterContract', () => {
  it('names every check once', () => {
    const all = names({ ...plainSetup, lacks: [], optionSamples: { providerOptions: {} } })
    expect(new Set(all).size).toBe(all.length)
    expect(all.length).toBeGreaterThan(80)
  })

  it('leaves out what a wire lacks, and only that', () => {
    const all = names({ ...plainSetup, lacks: [] })
    const left = all.filter((name) => !names({ ...plainSetup, lacks: ['calls', 'retry-after'] }).includes(name))
    expect(left).toContain('tells how long the provider asks to wait')
    expect(left).toContain('tells several calls')
    expect(left).not.toContain('tells text')
  })

  it('spares an adapter without a wire everything about sockets', () => {
    const scripted = names({ scriptAdapter: (script) => new ScriptedAdapter(script) })
    expect(scripted).toContain('keeps 50 calls at once apart')
    expect(scripted.filter((name) => /status|redirect|user-agent|fetch/.test(name))).toEqual([])
  })

  it('looks for request ids and replay state where the setup speaks of them', () => {
    const rest = { ...plainSetup, requestIdHeader: undefined }
    expect(names(rest)).not.toContain('tells the request id of the provider')
    const replayState = { answer: {}, comesBack: () => true, rejection: { status: 400 } }
    expect(names({ ...rest, replayState }).filter((name) => name.includes('replay'))).toEqual([
      'brings replay state back',
      'tells replay state that was refused',
    ])
  })

  it('tells a fault of the setup from one of the adapter', async () => {
    const render = (): never => {
      throw new Error('not written yet')
    }
    const error = await catchFault({ ...plainSetup, render }, 'tells text')
    expect(error).not.toBeInstanceOf(ContractError)
    expect(error.message).toBe(
      'BrokenAdapter, "tells text" could not be run: not written yet; see to the setup of the contract',
    )
  })

  it('says that texts must stand on the wire as they are, where an answer is to be broken off', async () => {
    const render: typeof plainSetup.render = (answer) => ({ chunks: btoa(chatCompletions(answer).join('')) })
    const error = await catchFault({ ...plainSetup, render }, 'lets go when a reader leaves in the middle')
    expect(error.message).toContain('`render` must leave texts as they are on the wire')
  })
})
