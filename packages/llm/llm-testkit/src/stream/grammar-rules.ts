/** What an author does about a broken rule of `docs/stream-protocol.md`, by its number. */
export const grammarFixes: Readonly<Record<string, string>> = Object.freeze({
  R1: 'yield one finish, as the last chunk, and return; ChunkWriter.finish gives it once and closes what is open before it',
  R2: 'number blocks 0, 1, 2… in the order in which they begin and never use a number twice; ChunkWriter numbers them',
  R3: 'open a block with block-start before its first delta, send it deltas of its own type only, and none after its block-end',
  R4: 'keep the text of every delta and repeat it whole in block-end; close text and reasoning before a block of another kind begins',
  R5: 'mint an id when the wire has none, keep it for the whole call, and put the name on the first delta only',
  R6: 'yield usage before the finish, as cumulative whole numbers of at least 0, and leave out what is unknown',
  R7: 'close every block before stop or tool-calls, and text and reasoning before max-tokens; ChunkWriter.finish does both',
  R8: 'finish with tool-calls if a complete call exists and with stop if none does; ChunkWriter.finish corrects the kind',
  R9: 'finish with error EMPTY_RESPONSE when the provider ended normally and sent nothing; ChunkWriter.finish does',
  R10: 'leave attempts to listeners: an adapter makes one request and tells how that one went',
  R12: 'make a new chunk for each yield; a reader may keep the old ones',
})
