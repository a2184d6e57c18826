import { type BeingName, type FactHeader, stanceOf, TreeosError } from '@treeos/core'
import { authorizeActingAs, type Presence, readerOf, requireBeing } from '@treeos/reality'
import type { BeingRow, WorldReader } from '@treeos/world'
import { isDescendant } from './descent.ts'

/**
 * Who may look into which past: the moments of a being, its prompts and what was said to it. A person may
 * look into its own past and that of its offspring, which are the beings that it may also inhabit. The first
 * operator may look into every past. All that asks about pasts asks here; a query asks by {@link pastsFor},
 * and `offspringOf` of the store says the same in SQL.
 */
export const seesAllPasts = (me: Pick<BeingRow, 'parent'> | null): boolean => me?.parent === null

/** Whether the past of a being is open to another, over rows that one reads. */
export async function isPastOpen(reader: WorldReader, as: BeingName, being: BeingName): Promise<boolean> {
  if (as === being) return true
  const me = await reader.being(as)
  return me !== null && (seesAllPasts(me) || (await isDescendant(reader, being, as)))
}

/** Whose pasts a query may read for a being: its own and its offspring's; null: all. */
export const pastsFor = async (reader: WorldReader, as: BeingName): Promise<BeingName | null> =>
  seesAllPasts(await reader.being(as)) ? null : as

/** The same for a caller. @throws {TreeosError} as `authorizeActingAs` */
export async function openTo(at: Presence, as: BeingName): Promise<BeingName | null> {
  await authorizeActingAs(at, as)
  return pastsFor(readerOf(at), as)
}

export const mayReadPast = (at: Presence, as: BeingName, being: BeingName): Promise<boolean> =>
  isPastOpen(readerOf(at), as, being)

/**
 * @throws {TreeosError} FORBIDDEN, the same for a being that does not exist, unless the person may know that;
 *   BEING_NOT_FOUND; what `authorizeActingAs` throws
 */
export async function authorizePast(at: Presence, as: BeingName, being: BeingName): Promise<void> {
  await authorizeActingAs(at, as)
  if (!(await mayReadPast(at, as, being)))
    throw new TreeosError(
      'FORBIDDEN',
      `the past of ${stanceOf(being)} is open to itself, its makers and the operator, not to ${stanceOf(as)}`,
    )
  await requireBeing(at, being)
}

/**
 * Whether a person may look into every past.
 * @throws {TreeosError} FORBIDDEN; what `authorizeActingAs` throws
 */
export async function authorizeAllPasts(at: Presence, as: BeingName): Promise<void> {
  await authorizeActingAs(at, as)
  if (!seesAllPasts(await readerOf(at).being(as)))
    throw new TreeosError('FORBIDDEN', `every past is open to the first operator, not to ${stanceOf(as)}`)
}

/** Whether the past of a being is open to one person. */
export type OpenPasts = (being: BeingName) => Promise<boolean>

/**
 * Asks once for each being, and of the first operator once in all: makers never change, so an answer stays
 * right.
 */
export function pastsOpenTo(at: Presence, as: BeingName): OpenPasts {
  const known = new Map<string, Promise<boolean>>()
  const once = (key: string, ask: () => Promise<boolean>): Promise<boolean> => {
    const asked = known.get(key) ?? ask()
    known.set(key, asked)
    asked.catch(() => known.delete(key)) // Postgres was away: the next one asks again
    return asked
  }
  const isOperator = async () => seesAllPasts(await readerOf(at).being(as))
  return async (being) =>
    (await once('operator of all', isOperator)) || once(being, () => mayReadPast(at, as, being))
}

/**
 * A fact belongs to who acted, and to the being on whose reel it stands; one of no being is the operator's to
 * see.
 */
export async function isFactOpen(
  isOpen: OpenPasts,
  { reel, actor }: Pick<FactHeader, 'reel' | 'actor'>,
): Promise<boolean> {
  const [kind, being] = reel.split(':', 2)
  if (kind === 'being' && being !== undefined && (await isOpen(being))) return true
  return isOpen(actor)
}
