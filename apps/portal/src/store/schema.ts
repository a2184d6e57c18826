import type { StoreDb } from '@treeos/store'
import type { ColumnType, Generated, Kysely } from 'kysely'

/**
 * The tables as `tables.sql` makes them, which says what each is for. `test/portal/schema.test.ts` compares
 * both.
 */
export interface PortalDb {
  readonly account: {
    readonly being: string
    readonly password: string | null
    readonly created_at: Generated<Date>
  }
  readonly session: {
    readonly cookie_hash: Buffer
    readonly key_hash: Buffer
    readonly being: string
    readonly id: Generated<string>
    readonly way: Generated<string>
    readonly agent: Generated<string>
    readonly created_at: Generated<Date>
    readonly seen_at: Generated<Date>
    readonly expires_at: Date
  }
  readonly link: {
    readonly token_hash: Buffer
    readonly being: string
    readonly made_by: string | null
    readonly created_at: Generated<Date>
    readonly expires_at: Date
    readonly used_at: Date | null
  }
  readonly answer_link: {
    readonly token_hash: Buffer
    readonly being: string
    readonly approval: string
    readonly call: string
    readonly created_at: Generated<Date>
    readonly expires_at: Date
    readonly used_at: Date | null
  }
  readonly device: {
    readonly being: string
    readonly secret_hash: Buffer
    readonly created_at: Generated<Date>
    readonly used_at: Generated<Date>
  }
  readonly throttle: {
    readonly key: string
    readonly failures: number
    readonly until: Date
  }
  readonly passkey: {
    readonly id: string
    readonly being: string
    readonly site: string
    readonly user_handle: Buffer
    readonly public_key: Buffer
    /** postgres returns a bigint as text */
    readonly counter: ColumnType<string, number, number>
    readonly transports: string[]
    readonly name: string
    readonly signs: Generated<boolean>
    readonly created_at: Generated<Date>
    readonly used_at: Date | null
  }
  readonly identity: {
    readonly issuer: string
    readonly subject: string
    readonly being: string
    readonly label: string
    readonly created_at: Generated<Date>
  }
  readonly attempt: {
    readonly secret_hash: Buffer
    readonly kind: string
    readonly bound: string
    readonly user_handle: Buffer | null
    readonly name: string | null
    readonly expires_at: Date
  }
  readonly terminal: {
    readonly secret_hash: Buffer
    readonly code: string
    readonly name: string
    readonly address: string
    readonly being: string | null
    readonly token: string | null
    readonly created_at: Generated<Date>
    readonly expires_at: ColumnType<Date, Date, Date>
  }
  readonly outlet: {
    readonly id: Generated<string>
    readonly being: string
    readonly kind: string
    readonly address: string
    readonly wants: string[]
    readonly confirmed: boolean
    /** postgres returns a bigint as text */
    readonly after_age: ColumnType<string, number, number>
    readonly salt: Buffer
    readonly created_at: Generated<Date>
  }
  readonly delivery: {
    readonly outlet: string
    readonly entry: string
    readonly id: Generated<string>
    readonly state: Generated<string>
    readonly attempts: Generated<number>
    readonly next_at: Generated<Date>
    readonly made_at: Generated<Date>
    readonly tried_at: Date | null
    readonly fault: string | null
  }
  readonly hook: {
    readonly id: Generated<string>
    readonly being: string
    readonly name: string
    readonly does: string
    readonly salt: Buffer
    readonly created_at: Generated<Date>
    readonly used_at: Date | null
  }
}

/** The same connections, in the portal's schema. */
export const portalOf = (db: Kysely<StoreDb>): Kysely<PortalDb> =>
  (db.withoutPlugins() as unknown as Kysely<PortalDb>).withSchema('portal')
