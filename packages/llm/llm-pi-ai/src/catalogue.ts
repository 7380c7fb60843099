import { isRecord } from './payload.ts'
import { type ApiName, apiNames } from './api-names.ts'
import type { PiModel } from './pi-api.ts'

/** The chat models of one provider, by id; pi-ai's own objects, which must not be changed. */
export type Catalogue = ReadonlyMap<string, PiModel>

const loaded = new Map<string, Promise<Catalogue>>()

/** Loads the catalogue of one provider, once: 5 ms and a few megabytes. */
export function loadCatalogue(provider: string): Promise<Catalogue> {
  const known = loaded.get(provider)
  if (known !== undefined) return known
  const loading = readCatalogue(provider)
  loaded.set(provider, loading)
  return loading
}

async function readCatalogue(provider: string): Promise<Catalogue> {
  // By a computed name, since its type file needs an import attribute that not every compiler lets through.
  const exported: unknown = await import(`@earendil-works/pi-ai/providers/${provider}.models`)
  // Beside chat models the file has those for images and for classifying.
  const models: unknown = Reflect.get(Object(exported), `${provider.toUpperCase().replaceAll('-', '_')}_MODELS`)
  return new Map(
    Object.entries(Object(models)).filter((entry): entry is [string, PiModel] => isSpoken(entry[1])),
  )
}

function isSpoken(model: unknown): boolean {
  return isRecord(model) && apiNames.includes(model['api'] as ApiName)
}
