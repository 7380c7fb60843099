import { ScriptedAdapter } from '../src/index.ts'
import { adapterContract } from '../src/vitest.ts'
import { plainSetup } from './support/plain-setup.ts'

adapterContract('ScriptedAdapter', { scriptAdapter: (script) => new ScriptedAdapter(script) })

adapterContract('A plain adapter over fetch', plainSetup)
