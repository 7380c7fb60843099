import { createDialect, type Dialect } from '../dialect.ts'

/**
 * Any other server, and what is used when none is named. Nothing is sent that a server could have but the reference lacks;
 * the answer may deviate in every known way. Replay state goes back, since a server that sent some wants it.
 */
export const generic: Dialect = createDialect({
  name: 'generic',
  request: { echoesReplayState: true },
})
