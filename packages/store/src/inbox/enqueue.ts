import type { BeingName, Wake } from '@treeos/core'
import { sql } from 'kysely'
import { encodeWake } from '../ledger/encode-wake.ts'
import type { Db } from '../sql/database.ts'

/** How an inbox gets a wake that no act sent; each is a right of another login. */
const WAYS = {
  /** an act of a person: for logins that act for persons */
  act: sql`treeos.enqueue_act`,
  /** an act that came by a Temporal signal: for the login of such acts */
  signal: sql`treeos.enqueue_signal`,
  /** an act that a workflow of a host makes, as a person who lets workflows act as it: for workers */
  hosted: sql`treeos.enqueue_hosted`,
  /** a wake of a being by itself, as its row says: for workers */
  event: sql`treeos.enqueue_event`,
}

/**
 * Puts a wake that no act sent into an inbox, once for each id. All other wakes are written by append alone.
 * @returns false when the inbox already had a wake with this id
 * @throws SQLSTATE 42501 for a login without this right; a wake with a caller or of an unknown being; an act
 *   of a being that is not a person and under no lease; an event that the being's row does not name
 */
export async function enqueue(db: Db, way: keyof typeof WAYS, wake: Wake): Promise<boolean> {
  const { rows } = await sql<{ added: boolean }>`
    select ${WAYS[way]}(${JSON.stringify(encodeWake(wake))}::jsonb) as added`.execute(db)
  return rows[0]?.added === true
}

/**
 * Closes an act that no moment has claimed. One that is not stored is stored closed, so that an insert whose
 * answer was lost adds nothing later.
 * @returns false when a moment has claimed it, or it was closed before
 */
export async function withdraw(db: Db, wake: Wake): Promise<boolean> {
  const { rows } = await sql<{ done: boolean }>`
    select treeos.withdraw(${JSON.stringify(encodeWake(wake))}::jsonb) as done`.execute(db)
  return rows[0]?.done === true
}

/**
 * Puts a wake of a being by itself into its inbox, unless an unclaimed one with the same start of its id
 * already waits there.
 * @param prefix start of the ids that count as the same wake
 * @returns false when nothing was added
 */
export async function enqueueUnlessWaiting(db: Db, wake: Wake, prefix: string): Promise<boolean> {
  const { rows } = await sql`
    select from treeos.inbox
    where being = ${wake.being} and closed_by is null and claimed_by is null and starts_with(id, ${prefix})
    limit 1`.execute(db)
  return rows.length === 0 && (await enqueue(db, 'event', wake))
}

/**
 * Tells held changes that are due, and moves wakes that waited into the inboxes.
 * @param sweeps also deletes sealed texts that wait for nothing any more
 * @returns the beings to ring; in how many ms the next is due, null when nothing waits
 */
export async function releaseDelayed(
  db: Db,
  { sweeps }: { readonly sweeps: boolean },
): Promise<{ readonly woken: readonly BeingName[]; readonly nextMs: number | null }> {
  const { rows } = await sql<{ released: { woken: BeingName[]; nextMs: number | null } }>`
    select treeos.release_delayed(${sweeps}) as released`.execute(db)
  return rows[0]?.released ?? { woken: [], nextMs: null }
}
