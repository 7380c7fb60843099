import type { CallId } from './ids.ts'

/**
 * The kinds of content, open to declaration merging: a package that adds a kind brings its adapter support along.
 * Each entry lists the fields beside `type`.
 */
export interface ContentBlockMap {
  text: { readonly text: string }
  reasoning: { readonly text: string }
  /** `arguments` is the raw JSON text as the model wrote it, perhaps invalid, never parsed here (R11). */
  'tool-call': { readonly id: CallId; readonly name: string; readonly arguments: string }
  'tool-result': {
    readonly toolCallId: CallId
    readonly content: readonly ContentBlock[]
    readonly isError?: boolean | undefined
  }
}

export type ContentBlockType = keyof ContentBlockMap

/** One block of the named kind. */
export type ContentBlockOf<Type extends ContentBlockType> = { readonly type: Type } & ContentBlockMap[Type]

/** Any block; a switch over `type` needs a default branch, since other packages may add kinds. */
export type ContentBlock = { [Type in ContentBlockType]: ContentBlockOf<Type> }[ContentBlockType]

export type TextBlock = ContentBlockOf<'text'>
export type ReasoningBlock = ContentBlockOf<'reasoning'>
export type ToolCallBlock = ContentBlockOf<'tool-call'>
export type ToolResultBlock = ContentBlockOf<'tool-result'>
