import { LlmError } from 'dsh-llm'
import { isRecord } from './payload.ts'
import { type ApiName, apiNames, type PiModel } from './pi-api.ts'

/** The chat models of one provider, by id; pi-ai's own objects, which must not be changed. */
export type Catalogue = ReadonlyMap<string, PiModel>

const loaded = new Map<string, Promise<Catalogue>>()

/** Loads the catalogue of one provider, once: 5 ms and a few megabytes. Another name is `UNKNOWN_MODEL`. */
export function loadCatalogue(provider: string): Promise<Catalogue> {
  const known = loaded.get(provider)
  if (known !== undefined) return known
  const loading = readCatalogue(provider)
  loaded.set(provider, loading)
  return loading
}

async function readCatalogue(provider: string): Promise<Catalogue> {
  const exported: unknown = await importCatalogue(provider)
  // Beside chat models the file has those for images and for classifying.
  const name = `${provider.toUpperCase().replaceAll('-', '_')}_MODELS`
  const models: unknown = isRecord(exported) ? exported[name] : undefined
  if (!isRecord(models))
    throw new LlmError(
      `pi-ai has no models of the provider "${provider}"; declare them in the config`,
      'UNKNOWN_MODEL',
    )
  return new Map(Object.entries(models).filter((entry): entry is [string, PiModel] => isSpoken(entry[1])))
}

/** By a computed name, since its type file needs an import attribute that not every compiler lets through. */
async function importCatalogue(provider: string): Promise<unknown> {
  const module: object = await import(`@earendil-works/pi-ai/providers/${provider}.models`)
  return { ...module }
}

function isSpoken(model: unknown): boolean {
  return isRecord(model) && apiNames.includes(model['api'] as ApiName)
}
