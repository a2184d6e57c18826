import { type BeingName, isBeingName, nearestName, stanceOf, TreeosError, unknownNameIn } from '@treeos/core'
import { type SeeConnection, unlessRefused, withSnapshot } from '../beings/being-snapshot.ts'
import { authoring, namesLike } from '../roles/authoring-catalog.ts'

/** As many names as are compared with the one that was written. */
const NAMES_MAX = 500
/** A near name that may not be seen is passed over this often. */
const ATTEMPTS_MAX = 3

/**
 * Adds to the refusal of a name that nothing has the one that was probably meant, of those that the caller
 * may see. Every way by which a name comes in throws through here; the record of a moment holds the refusal
 * without it.
 * @returns the error to throw: any other as it is
 */
export async function withSuggestion(at: SeeConnection, as: BeingName, error: unknown): Promise<unknown> {
  const unknown = error instanceof TreeosError ? unknownNameIn(error) : null
  if (unknown === null) return error
  const { code, message, detail } = error as TreeosError
  const find = unknown.of === 'being' ? nearestBeing : nearestRole
  // A refusal stays one when nothing can be looked up, as for a being that wears no role.
  const name = await find(at, as, unknown.name).catch(() => null)
  return name === null
    ? error
    : new TreeosError(code, `${message}. Did you mean ${name}?`, detail, { cause: error })
}

/** Runs what an outsider asked for, with suggestions in what it throws. */
export const suggesting = <T>(at: SeeConnection, as: BeingName, asked: Promise<T>): Promise<T> =>
  asked.catch(async (error: unknown) => {
    throw await withSuggestion(at, as, error)
  })

function nearestBeing(at: SeeConnection, as: BeingName, written: string): Promise<string | null> {
  return withSnapshot(at, as, async (snapshot) => {
    const { me, surface, see, regard } = snapshot
    const known = (await unlessRefused(namesLike(snapshot, written, NAMES_MAX))) ?? []
    const named = [...surface.canSummon, ...surface.canSee].filter((entry) => typeof entry === 'string')
    const around = (await unlessRefused(see(me.space)))?.beings ?? []
    const stances = [...named, ...around, ...known].filter((stance) => stance.startsWith('@'))
    const names = new Set(stances.map((stance) => stance.slice(1)).filter(isBeingName))
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const name = nearestName(written, names)
      if (name === null) return null
      const row = await unlessRefused(regard(name))
      if (row !== null && row.ended === undefined) return stanceOf(name)
      names.delete(name)
    }
    return null
  })
}

async function nearestRole(at: SeeConnection, as: BeingName, written: string): Promise<string | null> {
  const listed = await unlessRefused(authoring(at, as))
  const names = listed?.roles.filter(({ deleted }) => !deleted).map(({ name }) => name) ?? []
  return nearestName(written, names)
}
