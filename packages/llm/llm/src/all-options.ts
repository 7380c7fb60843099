import { DEFAULT_OPTIONS, type OptionName } from './adapter.ts'

/** Every option there is, for adapters that honour them all. */
export const ALL_OPTIONS: ReadonlySet<OptionName> = new Set<OptionName>([
  ...DEFAULT_OPTIONS,
  'toolChoice',
  'responseFormat',
  'topP',
  'seed',
  'headers',
  'providerOptions',
])
