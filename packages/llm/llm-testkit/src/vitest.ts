import { describe, it } from 'vitest'
import { adapterContract as contractChecks } from './contract/adapter-contract.ts'
import type { ContractSetup } from './contract/contract-setup.ts'

/** Registers a suite with one test for each check of the contract. Call it at the top of a test file, or in a `describe`. */
export function adapterContract(name: string, setup: ContractSetup): void {
  describe(`${name} keeps the adapter contract`, () => {
    for (const check of contractChecks(name, setup)) it(`${check.rule} ${check.name}`, () => check.run())
  })
}
