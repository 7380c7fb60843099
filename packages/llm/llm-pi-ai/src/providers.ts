import type { ApiName } from './api-names.ts'

/** What is known of a provider of pi-ai's catalogue without loading it. */
export interface KnownProvider {
  /** The APIs its models are spoken to by. */
  readonly apis: readonly ApiName[]
  /** The variable that holds its key by convention; absent where its SDK finds credentials itself. */
  readonly apiKeyEnv?: string | undefined
}

const openai: readonly ApiName[] = ['openai-completions']
const anthropic: readonly ApiName[] = ['anthropic-messages']

/**
 * The providers of the catalogue that take a key, so that a plugin can register its routes before pi-ai is loaded. A
 * test holds the table against the installed catalogue.
 */
export const knownProviders: Readonly<Record<string, KnownProvider>> = Object.freeze({
  'amazon-bedrock': { apis: ['bedrock-converse-stream'] },
  'ant-ling': { apis: openai, apiKeyEnv: 'ANT_LING_API_KEY' },
  anthropic: { apis: anthropic, apiKeyEnv: 'ANTHROPIC_API_KEY' },
  azure: { apis: ['azure-openai-responses', 'openai-completions'], apiKeyEnv: 'AZURE_OPENAI_API_KEY' },
  baseten: { apis: openai, apiKeyEnv: 'BASETEN_API_KEY' },
  cerebras: { apis: openai, apiKeyEnv: 'CEREBRAS_API_KEY' },
  'cloudflare-ai-gateway': {
    apis: ['anthropic-messages', 'openai-completions', 'openai-responses'],
    apiKeyEnv: 'CLOUDFLARE_API_KEY',
  },
  'cloudflare-workers-ai': { apis: openai, apiKeyEnv: 'CLOUDFLARE_API_KEY' },
  deepseek: { apis: openai, apiKeyEnv: 'DEEPSEEK_API_KEY' },
  fireworks: { apis: ['anthropic-messages', 'openai-completions'], apiKeyEnv: 'FIREWORKS_API_KEY' },
  'github-copilot': {
    apis: ['anthropic-messages', 'openai-completions', 'openai-responses'],
    apiKeyEnv: 'COPILOT_GITHUB_TOKEN',
  },
  google: { apis: ['google-generative-ai'], apiKeyEnv: 'GEMINI_API_KEY' },
  'google-vertex': { apis: ['google-vertex'] },
  groq: { apis: openai, apiKeyEnv: 'GROQ_API_KEY' },
  huggingface: { apis: openai, apiKeyEnv: 'HF_TOKEN' },
  'kimi-coding': { apis: openai, apiKeyEnv: 'KIMI_API_KEY' },
  meta: { apis: ['openai-responses'], apiKeyEnv: 'META_API_KEY' },
  minimax: { apis: anthropic, apiKeyEnv: 'MINIMAX_API_KEY' },
  'minimax-cn': { apis: anthropic, apiKeyEnv: 'MINIMAX_CN_API_KEY' },
  mistral: { apis: ['mistral-conversations'], apiKeyEnv: 'MISTRAL_API_KEY' },
  moonshotai: { apis: openai, apiKeyEnv: 'MOONSHOT_API_KEY' },
  'moonshotai-cn': { apis: openai, apiKeyEnv: 'MOONSHOT_API_KEY' },
  nvidia: { apis: openai, apiKeyEnv: 'NVIDIA_API_KEY' },
  openai: { apis: ['openai-responses'], apiKeyEnv: 'OPENAI_API_KEY' },
  opencode: {
    apis: ['anthropic-messages', 'google-generative-ai', 'openai-completions', 'openai-responses'],
    apiKeyEnv: 'OPENCODE_API_KEY',
  },
  'opencode-go': {
    apis: ['anthropic-messages', 'google-generative-ai', 'openai-completions', 'openai-responses'],
    apiKeyEnv: 'OPENCODE_API_KEY',
  },
  openrouter: { apis: ['anthropic-messages', 'openai-completions'], apiKeyEnv: 'OPENROUTER_API_KEY' },
  'qwen-token-plan': { apis: openai, apiKeyEnv: 'QWEN_TOKEN_PLAN_TEAM_API_KEY' },
  'qwen-token-plan-cn': { apis: openai, apiKeyEnv: 'QWEN_TOKEN_PLAN_TEAM_CN_API_KEY' },
  'qwen-token-plan-individual': { apis: openai, apiKeyEnv: 'QWEN_TOKEN_PLAN_INDIVIDUAL_API_KEY' },
  'qwen-token-plan-individual-cn': { apis: openai, apiKeyEnv: 'QWEN_TOKEN_PLAN_INDIVIDUAL_CN_API_KEY' },
  together: { apis: openai, apiKeyEnv: 'TOGETHER_API_KEY' },
  'vercel-ai-gateway': { apis: anthropic, apiKeyEnv: 'AI_GATEWAY_API_KEY' },
  xai: { apis: ['openai-responses'], apiKeyEnv: 'XAI_API_KEY' },
  xiaomi: { apis: openai, apiKeyEnv: 'XIAOMI_API_KEY' },
  'xiaomi-token-plan-ams': { apis: openai, apiKeyEnv: 'XIAOMI_TOKEN_PLAN_AMS_API_KEY' },
  'xiaomi-token-plan-cn': { apis: openai, apiKeyEnv: 'XIAOMI_TOKEN_PLAN_CN_API_KEY' },
  'xiaomi-token-plan-sgp': { apis: openai, apiKeyEnv: 'XIAOMI_TOKEN_PLAN_SGP_API_KEY' },
  zai: { apis: openai, apiKeyEnv: 'ZAI_API_KEY' },
  'zai-coding-cn': { apis: openai, apiKeyEnv: 'ZAI_CODING_CN_API_KEY' },
})
