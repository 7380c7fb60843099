import type { LinePlace } from '../file/scan-lines.ts'

/** What is kept in memory of a recorded call: where it is and what it is found by. */
export interface CallEntry {
  readonly place: LinePlace
  readonly fingerprint: string
  readonly session: number
  readonly call: number
  readonly provider: string
  readonly model: string
  isUsed: boolean
}
