import type { ChainDb } from '@treeos/store'
import type { ColumnType, Generated, Kysely } from 'kysely'

/** What the portal keeps for itself: who may sign in. It is not part of the record, and replay does not need it. */
export interface PortalDb {
  readonly account: AccountTable
  readonly session: SessionTable
  readonly link: LinkTable
  readonly throttle: ThrottleTable
  readonly passkey: PasskeyTable
  readonly identity: IdentityTable
  readonly attempt: AttemptTable
}

/** A person that may sign in. */
interface AccountTable {
  readonly being: string
  /** scrypt, with its parameters and its salt; null for a person that signs in by other ways alone */
  readonly password: string | null
  readonly created_at: Generated<Date>
}

interface SessionTable {
  /** sha256 of the half in the cookie */
  readonly cookie_hash: Buffer
  /** sha256 of the half that the page sends in a header */
  readonly key_hash: Buffer
  readonly being: string
  /** names the session to its person, and opens nothing */
  readonly id: Generated<string>
  /** how it was begun: by a password, a passkey, a link or a provider */
  readonly way: string
  /** what the browser says of itself */
  readonly agent: string
  readonly created_at: Generated<Date>
  readonly seen_at: Generated<Date>
  readonly expires_at: Date
}

/** A link that lets a person choose a way to sign in, once. */
interface LinkTable {
  readonly token_hash: Buffer
  readonly being: string
  /** null for the first link of an operator */
  readonly made_by: string | null
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

interface PasskeyTable {
  /** as its authenticator names it: base64url */
  readonly id: string
  readonly being: string
  /** the name of the portal that it was made for; it opens no other one */
  readonly site: string
  /** the random name of its person that authenticators keep */
  readonly user_handle: Buffer
  /** COSE */
  readonly public_key: Buffer
  /** of uses, where the authenticator counts; postgres returns a bigint as text */
  readonly counter: ColumnType<string, number, number>
  readonly transports: string[]
  readonly name: string
  readonly created_at: Generated<Date>
  readonly used_at: Date | null
}

/** An account of an identity provider, by which a person signs in. */
interface IdentityTable {
  readonly issuer: string
  readonly subject: string
  readonly being: string
  /** as the provider names it */
  readonly label: string
  readonly created_at: Generated<Date>
}

/** A passkey or a provider was asked, and has not answered yet. */
interface AttemptTable {
  readonly secret_hash: Buffer
  readonly kind: string
  /** the session or the link that it belongs to; empty for a sign-in */
  readonly bound: string
  readonly user_handle: Buffer | null
  readonly name: string | null
  readonly expires_at: Date
}

/** The same connections, in the portal's schema. */
export const portalOf = (db: Kysely<ChainDb>): Kysely<PortalDb> =>
  (db.withoutPlugins() as unknown as Kysely<PortalDb>).withSchema('portal')
