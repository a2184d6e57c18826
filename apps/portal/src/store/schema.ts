import type { ChainDb } from '@treeos/chain'
import type { Generated, Kysely } from 'kysely'

/** What the portal keeps for itself: who may sign in. It is no part of the record, and replay does not need it. */
export interface PortalDb {
  readonly account: AccountTable
  readonly session: SessionTable
  readonly link: LinkTable
  readonly throttle: ThrottleTable
}

/** A person that may sign in. */
interface AccountTable {
  readonly being: string
  /** scrypt, with its parameters and its salt */
  readonly password: string
  readonly created_at: Generated<Date>
}

interface SessionTable {
  /** sha256 of the half in the cookie */
  readonly cookie_hash: Buffer
  /** sha256 of the half that the page sends in a header */
  readonly key_hash: Buffer
  readonly being: string
  readonly created_at: Generated<Date>
  readonly seen_at: Generated<Date>
  readonly expires_at: Date
}

/** A link that lets a person choose a password, once. */
interface LinkTable {
  readonly token_hash: Buffer
  readonly being: string
  readonly created_at: Generated<Date>
  readonly expires_at: Date
  readonly used_at: Date | null
}

/** Failed sign-ins in a row. */
interface ThrottleTable {
  readonly key: string
  readonly failures: number
  readonly until: Date
}

/** The same connections, in the portal's schema. */
export const portalOf = (db: Kysely<ChainDb>): Kysely<PortalDb> =>
  (db.withoutPlugins() as unknown as Kysely<PortalDb>).withSchema('portal')
