import { ALL_OPTIONS, createLlm, type GenerateOptions, type LlmAdapter, type OptionName } from 'dsh-llm'
import type { ReceivedRequest } from '../../server/received-request.ts'
import { quote } from '../../stream/describe-chunk.ts'
import type { CheckDefinition } from '../contract-check.ts'
import { must } from '../contract-rules.ts'
import { type ContractSetup, isWireSetup } from '../contract-setup.ts'
import type { ContractStage } from '../contract-stage.ts'
import { usualSamples, withoutOption } from './option-samples.ts'

/** One check for each option: sent if the adapter claims it, refused before any request if it does not. */
export function optionChecks(setup: ContractSetup): readonly CheckDefinition[] {
  if (!isWireSetup(setup)) return []
  const samples = { ...usualSamples, ...setup.optionSamples }
  return [...ALL_OPTIONS].flatMap((name): CheckDefinition[] => {
    const sample = samples[name]
    if (sample === undefined) return []
    const run = (stage: ContractStage): Promise<void> => checkOption(stage, name, sample)
    return [{ name: `honours or refuses ${name}`, rule: 'A7', onWire: true, run }]
  })
}

async function checkOption(
  stage: ContractStage,
  name: OptionName,
  sample: Partial<GenerateOptions>,
): Promise<void> {
  const adapter = await stage.play([{ text: 'Hi' }, { text: 'Hi' }])
  if (adapter.options.has(name)) await expectSent(stage, { adapter, name, sample })
  else await expectRefused(stage, { adapter, name, sample })
}

interface OptionCase {
  readonly adapter: LlmAdapter
  readonly name: OptionName
  readonly sample: Partial<GenerateOptions>
}

/** An option that is honoured makes a difference on the wire. */
async function expectSent(stage: ContractStage, { adapter, name, sample }: OptionCase): Promise<void> {
  const runs = [await stage.run(adapter, withoutOption(name, sample)), await stage.run(adapter, sample)]
  for (const run of runs)
    must(run.text === 'Hi', 'A7', () => `a request with ${quote(sample)} ended with ${run.describeEnd()}`)
  const [without, given] = stage.requests.map(sentOptions)
  must(
    without !== given,
    'A7',
    () => `${name} is among the options, but ${quote(sample)} sends the same request as without it`,
  )
  if (name !== 'providerOptions') return
  await expectUnknownKeyRefused(stage, adapter, sample)
}

/** Everything an option may change, but nothing that differs from call to call. */
function sentOptions({ body, headers }: ReceivedRequest): string {
  return JSON.stringify([body, headers['x-contract']])
}

async function expectUnknownKeyRefused(
  stage: ContractStage,
  adapter: LlmAdapter,
  { providerOptions = {} }: Partial<GenerateOptions>,
): Promise<void> {
  const sent = stage.requests.length
  const entries = Object.entries(providerOptions).map(([family, own]) => [
    family,
    Object.assign({ contractUnknown: 1 }, own),
  ])
  const run = await stage.run(adapter, {
    providerOptions: Object.fromEntries(entries) as typeof providerOptions,
  })
  must(
    stage.requests.length === sent,
    'A7',
    () => 'an unknown key of providerOptions was dropped or sent without a word',
  )
  must(
    run.failure !== undefined,
    'A7',
    () => `an unknown key of providerOptions ended with ${run.describeEnd()}`,
  )
}

/** The runtime refuses by what the adapter says of itself, so this goes through the runtime. */
async function expectRefused(stage: ContractStage, { adapter, name, sample }: OptionCase): Promise<void> {
  await using host = await createLlm()
  host.ctx.llm.registerAdapter([stage.provider], adapter)
  const only = { ...stage.options(), [name]: sample[name] }
  const { finish } = await stage.within(host.llm.generate(only), 'A2', 'a refused call did not end')
  must(stage.requests.length === 0, 'A7', () => `a request was sent although ${name} is not among the options`)
  must(
    finish.failure?.code === 'UNSUPPORTED_OPTION',
    'A7',
    () => `${name} came out as ${finish.failure?.code ?? finish.kind}`,
  )
}
