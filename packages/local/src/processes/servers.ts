import type { WorkerPlace } from './workers.ts'

export interface StartOptions {
  readonly dataDir: string
  readonly env?: NodeJS.ProcessEnv
  readonly onProgress: (line: string) => void
}

/** The servers of an instance, with the logins of its owner and of its portal. */
export interface Servers extends WorkerPlace {
  /** as the portal; null when it has no login in a Postgres of the user's own */
  readonly portalUrl: string | null
  /** as the sequencer of the log; null when it has no login in a Postgres of the user's own */
  readonly sequencerUrl: string | null
  /** as the owner of our tables, for migrations */
  readonly ownerUrl: string
  /** this Temporal serves our instance alone */
  readonly isOwnTemporal: boolean
}
