import { randomBytes, timingSafeEqual } from 'node:crypto'
import { type Connection, instanceSecret } from '@treeos/client'
import { type BeingName, quote, TreeosError } from '@treeos/core'
import { type Kysely, sql } from 'kysely'
import { requireRoomForHook, SALT_BYTES } from '../hooks/hooks.ts'
import { shownSecret } from '../hooks/standard-webhooks.ts'
import type { PortalDb } from '../store/schema.ts'

/** What waits in an inbox, by what its person is told of it. */
export const WANTS = ['question', 'answer', 'notice', 'approval'] as const
export type OutletSubject = (typeof WANTS)[number]
/** What an entry is told as. A `budget` that parks a being is told to whoever wants approvals. */
export type ToldAs = OutletSubject | 'budget'

export type OutletKind = 'webhook' | 'email'

/** Where a person is told what waits in its inbox, beside the page. */
export interface OutletView {
  readonly id: string
  readonly kind: OutletKind
  readonly address: string
  readonly wants: readonly OutletSubject[]
  /** an address of e-mail is not told anything before it gave the code that it was sent */
  readonly confirmed: boolean
  /** ISO 8601, UTC */
  readonly createdAt: string
  readonly deliveries: {
    readonly due: number
    readonly sent: number
    /** given up */
    readonly dead: number
    /** why the last try failed that failed; null while none did */
    readonly fault: string | null
  }
}

export interface OutletPlace {
  readonly store: Kysely<PortalDb>
  readonly at: Pick<Connection, 'vaults'>
}

export interface OutletWanted {
  readonly kind: OutletKind
  readonly address: string
  readonly wants?: readonly OutletSubject[] | undefined
}

const OUTLETS_MAX = 16
/** The entry of the delivery that brings an address of e-mail its code. No entry of an inbox has this id. */
export const CONFIRMING = 'confirm'
const EMAIL = /^[^\s@<>,;:"()[\]\\]{1,64}@[^\s@<>,;:"()[\]\\]{1,190}$/

/**
 * Makes an outlet. What came to the inbox before is not told.
 * @returns of a webhook also the secret that signs what it is sent, which follows from the key of the
 *   instance
 * @throws {TreeosError} INVALID_INPUT, RATE_LIMITED, SERVICE_UNAVAILABLE without a key of the instance
 */
export async function addOutlet(
  { store, at }: OutletPlace,
  being: BeingName,
  { kind, address, wants = WANTS }: OutletWanted,
): Promise<OutletView & { readonly secret?: string }> {
  requireAddress(kind, address)
  const salt = randomBytes(SALT_BYTES)
  secretOfOutlet(at, { outlet: '', salt }) // there is a key
  const id = await store.transaction().execute(async (tx) => {
    await requireRoomForHook(tx, 'outlet', being, OUTLETS_MAX)
    const made = await tx
      .insertInto('outlet')
      .values({
        being,
        kind,
        address,
        wants: [...new Set(wants)],
        confirmed: kind === 'webhook',
        salt,
        after_age: sql`coalesce((select max(age) from treeos.inbox where being = ${being}), 0)`,
      })
      .onConflict((on) => on.columns(['being', 'kind', 'address']).doNothing())
      .returning('id')
      .executeTakeFirst()
    if (made === undefined)
      throw new TreeosError('RESOURCE_CONFLICT', `${quote(address)} is told what waits already`)
    if (kind === 'email')
      await tx.insertInto('delivery').values({ outlet: made.id, entry: CONFIRMING }).execute()
    return made.id
  })
  const [view] = (await listOutlets({ store }, being)).filter((one) => one.id === id)
  if (view === undefined) throw new Error(`the outlet ${id} was removed while it was made`)
  return kind === 'webhook'
    ? { ...view, secret: shownSecret(secretOfOutlet(at, { outlet: id, salt })) }
    : view
}

function requireAddress(kind: OutletKind, address: string): void {
  if (kind === 'email') {
    if (EMAIL.test(address)) return
    throw new TreeosError('INVALID_INPUT', `address is ${quote(address)}; it takes one as in ann@example.org`)
  }
  const url = URL.parse(address)
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new TreeosError('INVALID_INPUT', `address is ${quote(address)}; it takes a URL of https or http`)
  if (url.username !== '' || url.password !== '')
    throw new TreeosError(
      'INVALID_INPUT',
      'address: a URL holds no password here; the signature says who asks',
    )
}

export async function listOutlets(
  { store }: Pick<OutletPlace, 'store'>,
  being: BeingName,
): Promise<OutletView[]> {
  const { rows } = await sql<Row>`
    select o.id, o.kind, o.address, o.wants, o.confirmed, o.created_at,
      count(d.outlet) filter (where d.state = 'due') as due, count(d.outlet) filter (where d.state = 'sent') as sent,
      count(d.outlet) filter (where d.state = 'dead') as dead,
      (select l.fault from portal.delivery l where l.outlet = o.id and l.fault is not null
        order by l.tried_at desc limit 1) as fault
    from portal.outlet o left join portal.delivery d on d.outlet = o.id and d.entry <> ${CONFIRMING}
    where o.being = ${being} group by o.id order by o.created_at`.execute(store)
  return rows.map(({ created_at, due, sent, dead, fault, ...row }) => ({
    ...row,
    createdAt: created_at.toISOString(),
    deliveries: { due: Number(due), sent: Number(sent), dead: Number(dead), fault },
  }))
}

interface Row extends Pick<OutletView, 'id' | 'kind' | 'address' | 'wants' | 'confirmed'> {
  readonly created_at: Date
  readonly due: string
  readonly sent: string
  readonly dead: string
  readonly fault: string | null
}

/** @throws {TreeosError} INVALID_INPUT for one that the person does not have */
export async function removeOutlet(
  { store }: Pick<OutletPlace, 'store'>,
  being: BeingName,
  id: string,
): Promise<void> {
  const gone = await store
    .deleteFrom('outlet')
    .where(sql<string>`id::text`, '=', id)
    .where('being', '=', being)
    .executeTakeFirst()
  if (gone.numDeletedRows === 0n) throw unknown(id)
}

/**
 * Takes the code that an address of e-mail was sent: from now on it is told what waits.
 * @throws {TreeosError} INVALID_INPUT for another code, and for an outlet that the person does not have
 */
export async function confirmOutlet(
  { store, at }: OutletPlace,
  being: BeingName,
  { id, code }: { readonly id: string; readonly code: string },
): Promise<void> {
  const found = await store
    .selectFrom('outlet')
    .select('salt')
    .where(sql<string>`id::text`, '=', id)
    .where('being', '=', being)
    .executeTakeFirst()
  const salt = found?.salt ?? randomBytes(SALT_BYTES)
  const [right, given] = [outletCode(at, { outlet: id, salt }), code.trim().toLowerCase()].map((text) =>
    Buffer.from(text),
  )
  const isRight = right?.length === given?.length && timingSafeEqual(right as Buffer, given as Buffer)
  const done = isRight
    ? await store
        .updateTable('outlet')
        .set({ confirmed: true })
        .where(sql<string>`id::text`, '=', id)
        .where('being', '=', being)
        .executeTakeFirst()
    : null
  if (done === null || done.numUpdatedRows === 0n)
    throw new TreeosError('INVALID_INPUT', `${quote(code)} is not the code that ${quote(id)} was sent`)
}

/** Tries again what was given up. @returns how many @throws {TreeosError} INVALID_INPUT */
export async function retryOutlet(
  { store }: Pick<OutletPlace, 'store'>,
  being: BeingName,
  id: string,
): Promise<number> {
  if (!(await listOutlets({ store }, being)).some((one) => one.id === id)) throw unknown(id)
  const { numUpdatedRows } = await store
    .updateTable('delivery')
    .set({ state: 'due', attempts: 0, next_at: sql`clock_timestamp()` })
    .where('outlet', '=', id)
    .where('state', '=', 'dead')
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

const unknown = (id: string) => new TreeosError('INVALID_INPUT', `you have no outlet ${quote(id)}`)

/** What the secrets of an outlet follow from, beside the key of the instance. */
export interface OutletSalt {
  readonly outlet: string
  readonly salt: Buffer
}

/** @throws {TreeosError} SERVICE_UNAVAILABLE without a key of the instance */
export const secretOfOutlet = (at: OutletPlace['at'], { outlet, salt }: OutletSalt): Buffer =>
  instanceSecret(at, `outlet ${outlet}`, salt)

const CODE_CHARS = 10
export const outletCode = (at: OutletPlace['at'], { outlet, salt }: OutletSalt): string =>
  instanceSecret(at, `confirm ${outlet}`, salt).toString('hex').slice(0, CODE_CHARS)
