import type { Service } from '../instance/instance.ts'
import type { Settings } from '../instance/settings.ts'
import { addressOf } from './places.ts'

/**
 * What an instance runs of ours. The command line gives it in: this package knows neither the store nor the
 * extensions.
 */
export interface Programs {
  /** the script of the command line */
  readonly treeos: string
  /** the script of a worker */
  readonly worker: string
  /** names of the keyword search attributes that Temporal's namespace has to have */
  readonly searchAttributes: readonly string[]
  /** Brings the database to this version, and makes its reality the first time. */
  plant(servers: Servers, options: StartOptions): Promise<{ readonly isNew: boolean }>
  /** Brings the tables of the portal to this version. @param ownerUrl of the owner of our tables */
  migratePortal(ownerUrl: string, onProgress: (line: string) => void): Promise<void>
  /** The settings of an environment that all workers of an instance share. */
  sharedSettings(dataDir: string, env: NodeJS.ProcessEnv): Promise<Settings>
}

export interface StartOptions {
  readonly dataDir: string
  readonly programs: Programs
  readonly env?: NodeJS.ProcessEnv
  readonly onProgress: (line: string) => void
}

/** The servers of an instance, as a worker gets them by its environment. */
export interface WorkerPlace {
  readonly databaseUrl: string
  /** as acts by a Temporal signal; null where they are off */
  readonly signalsUrl: string | null
  readonly temporal: { readonly address: string; readonly namespace: string }
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

/** The servers that a process is started for, as recorded with it. */
export const serversOf = ({ databaseUrl, temporal }: Pick<WorkerPlace, 'databaseUrl' | 'temporal'>) => ({
  postgres: addressOf(databaseUrl),
  temporal: temporal.address,
})

/** Whether the servers of a process have moved since its start. The process itself cannot notice that. */
export function isStale({ detail }: Service, place: WorkerPlace): boolean {
  const now = serversOf(place)
  const { postgres = now.postgres, temporal = now.temporal } = detail ?? {}
  return postgres !== now.postgres || temporal !== now.temporal
}
