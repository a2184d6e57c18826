import type { Connection, LeaseRef, Seat } from '@treeos/client'
import type { BeingName } from '@treeos/core'
import type { JournalListener } from '@treeos/store'
import type { Kysely } from 'kysely'
import type { Provider } from './accounts/provider.ts'
import type { Turn } from './authorize/bounds.ts'
import type { Machine } from './machine.ts'
import type { PortalDb } from './store/schema.ts'

/** What the portal works with. */
export interface Portal {
  /** acts for nobody; each request gets its person */
  readonly at: Connection
  readonly store: Kysely<PortalDb>
  readonly listener: JournalListener
  /** where people look at workflows; null where there is no Temporal UI */
  readonly temporal: { readonly ui: string | null; readonly namespace: string }
  readonly machine: Machine
  /** by which people may sign in besides; null where none is configured */
  readonly provider: Provider | null
  /** receives errors that nobody else is told */
  readonly onError: (where: string, error: unknown) => void
}

/**
 * Who asks: a signed-in person, whose being acts, the being that one tab of it drives, or the being of an
 * access token.
 */
export interface Visit {
  readonly at: Connection
  /** who acts */
  readonly being: BeingName
  /** who is signed in, or for whom the token is; for a being that is not a person, who issued it */
  readonly person: BeingName
  /** the id of its session, or what stands for it with a token */
  readonly session: string
  /** the session began a short time ago, so its person may change how it signs in */
  readonly isFresh: boolean
  /** the half of the session that is in the cookie */
  readonly cookie: string
  /** the half that the page sends */
  readonly key: string
  /** of a tab that drives a being: its secret, and its lease; null where the person acts as itself */
  readonly handle: string | null
  readonly lease: LeaseRef | null
  /** of a program with an access token; null for a session */
  readonly token: TokenVisit | null
}

export interface TokenVisit {
  readonly secret: string
  /** by which the person of the token acts as a being that is not a person; null for a person's being */
  readonly seat: Seat | null
}

/** What handlers of one request are given. */
export interface Env {
  Variables: {
    /** the name and port by which the browser asked */
    host: string
    /** the same with the scheme, for addresses that programs are told */
    origin: string
    /** who asks, as far as the connection tells: see `edge/address.ts` */
    address: string
    /** missing where anybody may call the route */
    visit: Visit
    /** the room that the request takes */
    turn: Turn
    /** of a request that waits: aborts when nobody waits for its answer any more, or may not */
    signal: AbortSignal
    /** its caller may call the route */
    isAuthorized: true | undefined
  }
}
