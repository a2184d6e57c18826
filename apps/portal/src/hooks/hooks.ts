import { randomBytes } from 'node:crypto'
import { type Connection, instanceSecret } from '@treeos/client'
import { type BeingName, parseStance, quote, TreeosError } from '@treeos/core'
import type { Kysely } from 'kysely'
import type { PortalDb } from '../store/schema.ts'
import { shownSecret } from './standard-webhooks.ts'

/** By which a program outside makes its person say something, or publish a signal. */
export interface Hook {
  readonly id: string
  readonly being: BeingName
  /** what its person calls it */
  readonly name: string
  readonly does: HookDoes
  readonly salt: Buffer
}

export type HookDoes = { readonly summon: string } | { readonly signal: string }

export interface HookView extends Pick<Hook, 'id' | 'name' | 'does'> {
  /** ISO 8601, UTC */
  readonly createdAt: string
  readonly usedAt: string | null
}

export interface HookPlace {
  readonly store: Kysely<PortalDb>
  readonly at: Pick<Connection, 'vaults'>
}

const HOOKS_MAX = 16
export const SALT_BYTES = 32
const SIGNAL = /^[a-z0-9-]{1,40}(\.[^.\0]{1,80}){1,8}$/
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Makes a hook. Its secret follows from the key of the instance and a salt, so it is stored nowhere.
 * @throws {TreeosError} INVALID_INPUT, RATE_LIMITED, SERVICE_UNAVAILABLE without a key of the instance
 */
export async function addHook(
  { store, at }: HookPlace,
  being: BeingName,
  { name, does }: Pick<Hook, 'name' | 'does'>,
): Promise<HookView & { readonly secret: string }> {
  if ('summon' in does) parseStance(does.summon)
  else if (!SIGNAL.test(does.signal))
    throw new TreeosError('INVALID_INPUT', `signal is ${quote(does.signal)}; it takes a key such as ci.build`)
  const salt = randomBytes(SALT_BYTES)
  secretOfHook(at, { id: '', salt }) // there is a key
  const row = await store.transaction().execute(async (tx) => {
    await requireRoomForHook(tx, 'hook', being, HOOKS_MAX)
    return tx
      .insertInto('hook')
      .values({ being, name, does: JSON.stringify(does), salt })
      .returningAll()
      .executeTakeFirstOrThrow()
  })
  return { ...hookView(row), secret: shownSecret(secretOfHook(at, row)) }
}

/** @throws {TreeosError} RATE_LIMITED when a person has as many as it may */
export async function requireRoomForHook(
  tx: Kysely<PortalDb>,
  table: 'hook' | 'outlet',
  being: BeingName,
  max: number,
): Promise<void> {
  const { own } = await tx
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('own'))
    .where('being', '=', being)
    .executeTakeFirstOrThrow()
  if (Number(own) >= max)
    throw new TreeosError('RATE_LIMITED', `${max} are there, and no more can be made: remove one first`)
}

export async function listHooks({ store }: Pick<HookPlace, 'store'>, being: BeingName): Promise<HookView[]> {
  const rows = await store
    .selectFrom('hook')
    .selectAll()
    .where('being', '=', being)
    .orderBy('created_at')
    .execute()
  return rows.map(hookView)
}

/** @throws {TreeosError} INVALID_INPUT for one that the person does not have */
export async function removeHook(
  { store }: Pick<HookPlace, 'store'>,
  being: BeingName,
  id: string,
): Promise<void> {
  const gone = UUID.test(id)
    ? await store.deleteFrom('hook').where('id', '=', id).where('being', '=', being).executeTakeFirst()
    : null
  if (gone === null || gone.numDeletedRows === 0n)
    throw new TreeosError('INVALID_INPUT', `you have no hook ${quote(id)}`)
}

/** @returns null for an unknown id */
export async function findHook({ store }: Pick<HookPlace, 'store'>, id: string): Promise<Hook | null> {
  if (!UUID.test(id)) return null
  const row = await store.selectFrom('hook').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined
    ? null
    : { id, being: row.being, name: row.name, does: JSON.parse(row.does) as HookDoes, salt: row.salt }
}

/** @throws {TreeosError} SERVICE_UNAVAILABLE without a key of the instance */
export const secretOfHook = (at: HookPlace['at'], { id, salt }: Pick<Hook, 'id' | 'salt'>): Buffer =>
  instanceSecret(at, `hook ${id}`, salt)

const hookView = (row: {
  readonly id: string
  readonly name: string
  readonly does: string
  readonly created_at: Date
  readonly used_at: Date | null
}): HookView => ({
  id: row.id,
  name: row.name,
  does: JSON.parse(row.does) as HookDoes,
  createdAt: row.created_at.toISOString(),
  usedAt: row.used_at?.toISOString() ?? null,
})
