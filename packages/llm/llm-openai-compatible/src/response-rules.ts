import { defaultFinishReasons, type FinishReasonTable } from './finish-reason.ts'
import { lowerCased } from './lower-cased.ts'

/** The marks between which a server writes reasoning into its text. */
export interface InlineReasoning {
  readonly open: string
  readonly close: string
}

/**
 * Where the output count comes from: `completion` counts reasoning already, `completion-plus-reasoning` leaves it out,
 * `total-minus-prompt` leaves it out and tells it only within the total.
 */
export type OutputCount = 'completion' | 'completion-plus-reasoning' | 'total-minus-prompt'

/** How one server's answers are read, beyond what is tolerated from all of them. Frozen, shared by any number of calls. */
export interface ResponseRules {
  /** Delta fields that may hold reasoning text; the first one with text is read, the others are repeats of it. */
  readonly reasoningFields: readonly string[]
  /** Set where reasoning comes inside the text; without it such marks are ordinary text (agreed answer 7). */
  readonly inlineReasoning: InlineReasoning | undefined
  /** Whether `reasoning_details` (signatures, encrypted parts) and `extra_content` of calls are kept as replay state. */
  readonly keepsReplayState: boolean
  /** What each `finish_reason` means; a value that is not listed becomes a failure named after it. */
  readonly finishReasons: FinishReasonTable
  readonly outputCount: OutputCount
  /** Failure codes by the whole `code` or `type` in an error body, in any case, where a server's own values are known. */
  readonly failureCodes: Readonly<Record<string, string>>
  /** Response headers that hold the provider's id of the request, best first; absent means all those known. */
  readonly requestIdHeaders: readonly string[] | undefined
}

/**
 * Rules for one dialect: the tables given extend the generic ones, any other field replaces its default. Wire values are
 * looked up in lower case.
 */
export function createResponseRules(overrides: Partial<ResponseRules> = {}): ResponseRules {
  return Object.freeze({
    reasoningFields: ['reasoning_content', 'reasoning'],
    inlineReasoning: undefined,
    keepsReplayState: true,
    outputCount: 'completion',
    requestIdHeaders: undefined,
    ...overrides,
    finishReasons: Object.freeze({ ...defaultFinishReasons, ...lowerCased(overrides.finishReasons) }),
    failureCodes: Object.freeze(lowerCased(overrides.failureCodes)),
  })
}
