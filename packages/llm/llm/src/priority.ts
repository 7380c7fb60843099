/**
 * Where a listener of `llm/stream` stands, outermost first, so that the order in which plugins load does not matter
 * (L11): each route is retried before it is switched, a slot is free during back-off, a recording is one adapter run.
 */
export const StreamPriority = {
  observe: 700,
  cache: 500,
  budget: 400,
  default: 0,
  route: -100,
  retry: -200,
  limit: -300,
  record: -400,
} as const
