import { adapterContract, type ContractError, type ContractSetup } from '../../src/index.ts'

/** The error of the one check that is to catch a fault; fails if there is no such check or it lets the fault pass. */
export async function catchFault(setup: ContractSetup, check: string): Promise<ContractError> {
  const found = adapterContract('BrokenAdapter', { ...setup, patienceMs: 1_000 }).find(
    ({ name }) => name === check,
  )
  if (found === undefined) throw new Error(`No check is named "${check}"`)
  try {
    await found.run()
  } catch (error) {
    return error as ContractError
  }
  throw new Error(`The check "${check}" let the fault pass`)
}
