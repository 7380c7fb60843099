/** Rules of the contract beside the grammar; `docs/writing-an-adapter.md` is their home. */
export type ContractRule = 'A1' | 'A2' | 'A3' | 'A4' | 'A5' | 'A6' | 'A7' | 'A8' | 'A9' | 'A10' | 'R4'

/** What an author does about a broken rule, where the check itself does not know better. */
export const contractFixes: Readonly<Record<ContractRule, string>> = Object.freeze({
  A1: 'send one request per call, at the first pull and through the fetch it was given, without retries or a request before it, and follow no redirect',
  A2: 'pass request.signal to the transport and close the connection in return(), so that a waiting pull settles too',
  A3: 'throw an LlmError, or finish with error, also where the wire ends without its end marker: codeOfStatus(status) gives the code of a status; add status, providerRetryAfterMs and requestId, and mask the key',
  A4: 'subtract cached input from inputTokens, count reasoning as a part of outputTokens, and leave unknown counts out',
  A5: 'give out each piece as it arrives, the finish too, and read the wire only while a pull waits, without a queue in between',
  A6: 'send the key it was built with and attributionHeaders(identity) on every request and let no header of a request replace them',
  A7: 'send the model, every message in its order and every option that `options` lists; leave out of that list what you cannot send, and throw for content the wire cannot carry',
  A8: 'treat the request as read-only and build the body as a new object',
  A9: 'keep everything about one call in the iterator that stream() gives, let no call wait for another, and free it all on every way out',
  A10: 'put what must travel back into finish.replayState as plain JSON and send it when the message comes back',
  R4: 'yield every piece of the wire as it is, in order, and close each block with its whole text',
})

/** What is told about a broken rule. */
export interface BrokenContract {
  readonly rule: string
  /** What happened, to be read after "Breaks A1: ". */
  readonly seen: string
  readonly fix: string
  /** Adapter and check; absent until the check has ended. */
  readonly where?: string | undefined
}

/** A broken rule: who broke it in which check, what was seen, and what to do. */
export class ContractError extends Error {
  override readonly name = 'ContractError'
  /** Of this contract (`A…`) or of the stream protocol (`R…`). */
  readonly rule: string
  readonly seen: string
  readonly fix: string

  constructor({ rule, seen, fix, where }: BrokenContract) {
    const subject = where === undefined ? '' : `${where}: `
    super(`${subject}Breaks ${rule}: ${seen}\nTo fix: ${fix}`)
    this.rule = rule
    this.seen = seen
    this.fix = fix
  }
}

/** Throws unless the condition holds. `seen` is asked only then. */
export function must(holds: boolean, rule: ContractRule, seen: () => string): asserts holds {
  if (!holds) throw new ContractError({ rule, seen: seen(), fix: contractFixes[rule] })
}
