import { type BeingName, type FactHeader, stanceOf, TreeosError } from '@treeos/core'
import { authorizeActingAs, type Presence, readerOf, requireBeing } from '@treeos/reality'
import { isDescendant } from '../access/descent.ts'

/**
 * Whether a person may look into the past of a being: its moments, its prompts and what was said to it. A person may look into
 * its own past and that of its descendants, which are the beings that it may also inhabit. The first operator may look into
 * every past.
 */
export async function mayReadPast(at: Presence, as: BeingName, being: BeingName): Promise<boolean> {
  if (as === being) return true
  const reader = readerOf(at)
  const me = await reader.being(as)
  return me !== null && (me.parent === null || (await isDescendant(reader, being, as)))
}

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

/** Whether a person may look into every past. @throws {TreeosError} FORBIDDEN; what `authorizeActingAs` throws */
export async function authorizeAllPasts(at: Presence, as: BeingName): Promise<void> {
  await authorizeActingAs(at, as)
  const me = await readerOf(at).being(as)
  if (me?.parent !== null)
    throw new TreeosError('FORBIDDEN', `every past is open to the first operator, not to ${stanceOf(as)}`)
}

/** Whether the past of a being is open to one person. */
export type OpenPasts = (being: BeingName) => Promise<boolean>

/** Asks once for each being, and of the first operator once in all: makers never change, so an answer stays right. */
export function pastsOpenTo(at: Presence, as: BeingName): OpenPasts {
  const known = new Map<string, Promise<boolean>>()
  const once = (key: string, ask: () => Promise<boolean>): Promise<boolean> => {
    const asked = known.get(key) ?? ask()
    known.set(key, asked)
    asked.catch(() => known.delete(key)) // Postgres was away: the next one asks again
    return asked
  }
  const isOperator = async () => (await readerOf(at).being(as))?.parent === null
  return async (being) =>
    (await once('operator of all', isOperator)) || once(being, () => mayReadPast(at, as, being))
}

/** A fact belongs to who acted, and to the being on whose reel it stands; one of no being is the operator's to see. */
export async function isFactOpen(
  isOpen: OpenPasts,
  { reel, actor }: Pick<FactHeader, 'reel' | 'actor'>,
): Promise<boolean> {
  const [kind, being] = reel.split(':', 2)
  if (kind === 'being' && being !== undefined && (await isOpen(being))) return true
  return isOpen(actor)
}
