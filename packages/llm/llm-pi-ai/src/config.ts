import type { ModelPrice } from 'dsh-llm'
import {
  connectionEntries,
  declaredModels,
  filledText,
  httpAddress,
  plainObject,
} from 'dsh-llm-openai-compatible'
import * as v from 'valibot'
import type { DeclaredPiModel } from './models.ts'
import { apiNames } from './api-names.ts'
import { isRecord } from './payload.ts'
import { knownProviders } from './providers.ts'
import { type PiAiProviderConfig, PiAiRoute } from './route.ts'

/** Routes by the name under which the runtime is to know them. */
export interface PiAiConfig {
  readonly providers: Readonly<Record<string, PiAiProviderConfig>>
}

const api = v.picklist(apiNames, `must be one of ${apiNames.join(', ')}`)
const amount = v.pipe(v.number('must be a number'), v.finite(), v.minValue(0))

const price: v.GenericSchema<ModelPrice> = plainObject(
  v.strictObject({
    input: v.optional(amount),
    output: v.optional(amount),
    cacheRead: v.optional(amount),
    cacheWrite: v.optional(amount),
  }),
)

/** What this package adds to the facts that every adapter takes of a model. */
const ownFacts = {
  api: v.optional(api),
  baseURL: v.optional(httpAddress),
  reasoning: v.optional(v.boolean('must be true or false')),
  maxTokens: v.optional(v.pipe(v.number('must be a number'), v.safeInteger(), v.minValue(1))),
  price: v.optional(price),
  compat: v.optional(plainObject(v.looseObject({}))),
}

/** The neutral facts are checked by the schema of all adapters, the rest here. */
const models = v.pipe(
  v.custom<readonly DeclaredPiModel[]>(Array.isArray, 'must be a list'),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const parts = [
      v.safeParse(v.array(plainObject(v.looseObject(ownFacts))), dataset.value),
      v.safeParse(declaredModels, dataset.value.map(toNeutralFacts)),
    ]
    for (const { issues = [] } of parts)
      for (const issue of issues)
        addIssue({ message: issue.message, ...(issue.path !== undefined && { path: issue.path }) })
  }),
)

function toNeutralFacts(model: unknown): unknown {
  if (!isRecord(model)) return model
  return Object.fromEntries(Object.entries(model).filter(([name]) => !Object.hasOwn(ownFacts, name)))
}

const option = v.union([v.string(), v.number(), v.boolean()], 'must be a text, a number or a switch')

const provider: v.GenericSchema<PiAiProviderConfig> = plainObject(
  v.strictObject({
    ...connectionEntries,
    provider: v.optional(
      v.picklist(
        Object.keys(knownProviders),
        'is no provider of the catalogue that takes a key; name `api` and `baseURL` instead',
      ),
    ),
    api: v.optional(api),
    baseURL: v.optional(httpAddress),
    model: v.optional(filledText),
    models: v.optional(models),
    options: v.optional(plainObject(v.record(v.string(), option))),
  }),
)

/** Checks the plugin's config; every issue names its path. A route is of the catalogue, or says how it is spoken to. */
export const configSchema: v.GenericSchema<PiAiConfig> = plainObject(
  v.strictObject({
    providers: v.pipe(
      v.custom<PiAiConfig['providers']>(hasUsableNames, 'has a route with a name that no object may have'),
      plainObject(v.record(filledText, provider)),
      v.rawCheck(({ dataset, addIssue }) => {
        if (!dataset.typed) return
        for (const [route, config] of Object.entries(dataset.value)) {
          if (new PiAiRoute(route, config).apis.length > 0) continue
          const message = `"${route}" is no provider of the catalogue that takes a key: name one as \`provider\`, or \`api\` and \`baseURL\``
          addIssue({
            message,
            path: [{ type: 'object', origin: 'value', input: dataset.value, key: route, value: config }],
          })
        }
      }),
    ),
  }),
)

/** Names that a schema of records leaves out without a word. */
const unusable = ['__proto__', 'constructor', 'prototype']

function hasUsableNames(value: unknown): boolean {
  return typeof value !== 'object' || value === null || !unusable.some((name) => Object.hasOwn(value, name))
}
