import { createParser } from 'eventsource-parser'

interface FloorChunk {
  readonly choices: readonly {
    readonly delta: {
      readonly content?: string | null
      readonly reasoning_content?: string | null
      readonly tool_calls?: readonly {
        readonly index: number
        readonly function: { readonly arguments: string }
      }[]
    }
  }[]
}

const headers = { 'content-type': 'application/json', authorization: 'Bearer none' }
const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Go' }] })

/** The least that reading an answer by hand takes: no limits, no errors, no grammar. Gives the units it received. */
export async function readByHand(baseURL: string): Promise<number> {
  const texts = { content: '', reasoning: '' }
  const calls: string[] = []
  const parser = createParser({
    onEvent({ data }) {
      if (data === '[DONE]') return
      const delta = (JSON.parse(data) as FloorChunk).choices[0]?.delta
      if (delta === undefined) return
      if (typeof delta.content === 'string') texts.content += delta.content
      if (typeof delta.reasoning_content === 'string') texts.reasoning += delta.reasoning_content
      if (delta.tool_calls === undefined) return
      for (const call of delta.tool_calls)
        calls[call.index] = (calls[call.index] ?? '') + call.function.arguments
    },
  })
  const response = await fetch(`${baseURL}/chat/completions`, { method: 'POST', headers, body })
  const decoder = new TextDecoder()
  for await (const piece of response.body ?? []) parser.feed(decoder.decode(piece, { stream: true }))
  return calls.reduce((sum, text) => sum + text.length, texts.content.length + texts.reasoning.length)
}
