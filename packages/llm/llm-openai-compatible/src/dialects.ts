import type { Dialect } from './dialect.ts'
import { azure } from './dialects/azure.ts'
import { deepseek } from './dialects/deepseek.ts'
import { gemini } from './dialects/gemini.ts'
import { generic } from './dialects/generic.ts'
import { groq } from './dialects/groq.ts'
import { llamaCpp } from './dialects/llama-cpp.ts'
import { lmstudio } from './dialects/lmstudio.ts'
import { mistral } from './dialects/mistral.ts'
import { moonshot } from './dialects/moonshot.ts'
import { ollama } from './dialects/ollama.ts'
import { openai } from './dialects/openai.ts'
import { openrouter } from './dialects/openrouter.ts'
import { qwen } from './dialects/qwen.ts'
import { vllm } from './dialects/vllm.ts'
import { xai } from './dialects/xai.ts'

/** The names a configuration may give instead of a `Dialect` of its own. */
export type DialectName =
  | 'openai'
  | 'deepseek'
  | 'openrouter'
  | 'vllm'
  | 'ollama'
  | 'llama.cpp'
  | 'lmstudio'
  | 'groq'
  | 'mistral'
  | 'xai'
  | 'azure'
  | 'qwen'
  | 'moonshot'
  | 'gemini'
  | 'generic'

/** The dialects that come with the package; `generic` is used where none is named. */
export const dialects: Readonly<Record<DialectName, Dialect>> = Object.freeze({
  openai,
  deepseek,
  openrouter,
  vllm,
  ollama,
  'llama.cpp': llamaCpp,
  lmstudio,
  groq,
  mistral,
  xai,
  azure,
  qwen,
  moonshot,
  gemini,
  generic,
})
