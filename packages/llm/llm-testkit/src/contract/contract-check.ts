import type { ContractFeature } from './contract-setup.ts'
import type { ContractStage } from './contract-stage.ts'

/** One check as this package defines it. */
export interface CheckDefinition {
  readonly name: string
  readonly rule: string
  /** Left out for adapters that lack any of these. */
  readonly needs?: readonly ContractFeature[] | undefined
  /** Whether it looks at HTTP, so that adapters without a wire are spared. */
  readonly onWire?: boolean | undefined
  run(stage: ContractStage): Promise<void>
}
