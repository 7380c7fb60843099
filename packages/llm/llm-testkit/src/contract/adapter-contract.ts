import { abortChecks } from './checks/abort-checks.ts'
import { attributionChecks } from './checks/attribution-checks.ts'
import { concurrencyChecks } from './checks/concurrency-checks.ts'
import { errorChecks } from './checks/error-checks.ts'
import { grammarChecks } from './checks/grammar-checks.ts'
import { leakChecks } from './checks/leak-checks.ts'
import { leavingChecks } from './checks/leaving-checks.ts'
import { optionChecks } from './checks/option-checks.ts'
import { pressureChecks } from './checks/pressure-checks.ts'
import { replayChecks } from './checks/replay-checks.ts'
import { requestChecks } from './checks/request-checks.ts'
import { transportChecks } from './checks/transport-checks.ts'
import { usageChecks } from './checks/usage-checks.ts'
import type { CheckDefinition } from './contract-check.ts'
import { ContractError } from './contract-rules.ts'
import { type ContractSetup, isWireSetup } from './contract-setup.ts'
import { ContractStage } from './contract-stage.ts'
import { within } from './deadline.ts'

/** One named check. It owns its server and its adapter, so checks may run in any order, also at once. */
export interface ContractCheck {
  readonly name: string
  /** `A…` of `docs/writing-an-adapter.md` or `R…` of `docs/stream-protocol.md`: what it looks at first. */
  readonly rule: string
  /** Rejects with an error that names the adapter, the broken rule and what to do; settles in bounded time. */
  run(): Promise<void>
}

/**
 * The checks an adapter must pass, for any test runner: `for (const check of adapterContract(name, setup)) test(check.name,
 * check.run)`. With vitest, take the function of the same name from `dsh-llm-testkit/vitest`, which registers them.
 */
export function adapterContract(name: string, setup: ContractSetup): readonly ContractCheck[] {
  return definitions(setup)
    .filter(({ needs = [] }) => !needs.some((feature) => setup.lacks?.includes(feature)))
    .filter(({ onWire }) => onWire !== true || isWireSetup(setup))
    .map((definition) => ({
      name: definition.name,
      rule: definition.rule,
      run: () => runCheck(name, definition, setup),
    }))
}

function definitions(setup: ContractSetup): readonly CheckDefinition[] {
  return [
    ...grammarChecks,
    ...usageChecks,
    ...errorChecks(setup),
    ...transportChecks,
    ...abortChecks,
    ...leavingChecks,
    ...pressureChecks,
    ...requestChecks,
    ...optionChecks(setup),
    ...attributionChecks,
    ...replayChecks(setup),
    ...concurrencyChecks,
    ...leakChecks,
  ]
}

async function runCheck(adapter: string, definition: CheckDefinition, setup: ContractSetup): Promise<void> {
  const stage = new ContractStage(setup)
  // Waits within a check are bounded by themselves and say more; this one is for what nobody thought of.
  const patienceMs = stage.patienceMs * 2
  try {
    await within(definition.run(stage), { rule: 'A2', seen: 'the check did not end', patienceMs })
    if (stage.excess !== undefined) throw stage.excess
  } catch (error) {
    throw blame(firstCause(stage, error), `${adapter}, "${definition.name}"`)
  } finally {
    await stage.close()
  }
}

/** What made the check fail, where that looks like something else: `render` threw in the server, or the script ran out. */
function firstCause(stage: ContractStage, error: unknown): unknown {
  return stage.scriptFailure ?? stage.excess ?? error
}

/** What is no broken rule comes from the setup: `createAdapter` or `render` threw, or gave what nobody can use. */
function blame(error: unknown, where: string): Error {
  if (error instanceof ContractError) {
    const { rule, seen, fix } = error
    return new ContractError({ rule, seen, fix, where })
  }
  const reason = error instanceof Error ? error.message : String(error)
  return new Error(`${where} could not be run: ${reason}; see to the setup of the contract`, { cause: error })
}
