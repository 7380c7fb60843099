import type { GenerateOptions } from 'dsh-llm'
import { describe, expectTypeOf, it } from 'vitest'
import type { DeepSeekOptions } from '../src/index.ts'

type Given = NonNullable<GenerateOptions['providerOptions']>

describe('providerOptions.deepseek', () => {
  it('is typed wherever the package is imported', () => {
    expectTypeOf<Given['deepseek']>().toEqualTypeOf<DeepSeekOptions | undefined>()
  })

  it('refuses a key it does not know', () => {
    expectTypeOf<{ user_id: string }>().not.toExtend<DeepSeekOptions>()
    expectTypeOf<{ thinking: 'auto' }>().not.toExtend<DeepSeekOptions>()
  })
})
