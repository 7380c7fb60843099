import { type GeminiDialect, geminiDialect } from './gemini-dialect.ts'
import { type PartGroup, toPartGroups } from './gemini-parts.ts'
import { toChunkUsage } from './gemini-usage.ts'
import { finishOf, type NeutralAnswer, type NeutralError } from './neutral-answer.ts'
import { sseFrames } from './sse-frames.ts'

type Json = Readonly<Record<string, unknown>>

const finishReasons: Readonly<Record<string, string>> = {
  'tool-calls': 'STOP',
  'max-tokens': 'MAX_TOKENS',
}

/**
 * Renders an answer as a stream of Gemini's `streamGenerateContent`, one SSE frame per element. Fields given in `dialect`
 * replace those of `geminiDialect`. Calls come whole on this wire: argument text is parsed into `args`, blank text leaves
 * `args` out, and a call whose text is no JSON object, as after a cut, does not come at all. An unknown finish is
 * upper-cased; an error tells its `code` (500 by default) and its `type` as `status`.
 */
export function gemini(answer: NeutralAnswer, dialect: Partial<GeminiDialect> = {}): string[] {
  const wire = { ...geminiDialect, ...dialect }
  const finish = finishFacts(answer, wire)
  const groups = withLastChunk(toPartGroups(answer, wire), wire, finish !== undefined)
  const usage =
    answer.usage === undefined || answer.error !== undefined ? [] : toChunkUsage(answer.usage, groups)
  const chunks = groups.map((group, at) => {
    const isLast = at === groups.length - 1
    const isCounted = isLast || wire.usage === 'every-chunk'
    return toChunk(group, wire, {
      finish: isLast ? finish : undefined,
      usageMetadata: isCounted ? usage[at] : undefined,
    })
  })
  return sseFrames(answer.error === undefined ? chunks : [...chunks, toErrorChunk(answer.error)], wire)
}

/** The finish needs a chunk to stand on, with or without content. */
function withLastChunk(
  groups: readonly PartGroup[],
  wire: GeminiDialect,
  hasFinish: boolean,
): readonly PartGroup[] {
  const needsOne = hasFinish && (wire.finish === 'alone' || groups.length === 0)
  return needsOne ? [...groups, { isThought: false, parts: [] }] : groups
}

function finishFacts(answer: NeutralAnswer, { finishMessage }: GeminiDialect): Json | undefined {
  const finish = finishOf(answer)
  if (finish === null || answer.error !== undefined) return undefined
  return { finishReason: finishReasons[finish] ?? finish.toUpperCase(), finishMessage }
}

function toChunk(
  { parts }: PartGroup,
  { model, id }: GeminiDialect,
  { finish, usageMetadata }: { readonly finish: Json | undefined; readonly usageMetadata: Json | undefined },
): Json {
  const content = parts.length === 0 ? undefined : { parts, role: 'model' }
  const candidates = [{ content, ...finish, index: 0 }]
  return { candidates, usageMetadata, modelVersion: model, responseId: id }
}

function toErrorChunk({ message, code = 500, type = 'INTERNAL' }: NeutralError): Json {
  return { error: { code, message, status: type } }
}
