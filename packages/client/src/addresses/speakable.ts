import { type BeingName, parseStance, stanceOf } from '@treeos/core'
import { covers } from '@treeos/world'
import { type SeeConnection, unlessRefused, withSnapshot } from '../beings/being-snapshot.ts'
import { addresses } from '../roles/authoring-catalog.ts'

/** A being that may be spoken to. */
export interface SpeakableBeing {
  readonly stance: string
  readonly cognition: string
}

/** As many as a list to choose from shows. */
const SPEAKABLE_MAX = 200

/**
 * The beings that a being may speak to now: those that its list names, also where it may not see them, and
 * those that the list covers of the beings around it and of the catalog of addresses, where it may see that.
 * The rules of a target still decide each summon.
 */
export async function speakable(at: SeeConnection, as: BeingName): Promise<SpeakableBeing[]> {
  const known = await unlessRefused(addresses(at, as, { text: '@', of: 'beings', limit: SPEAKABLE_MAX }))
  return withSnapshot(at, as, async ({ me, surface, reader, see, regard }) => {
    const named = surface.canSummon.filter((entry) => typeof entry === 'string')
    const around = (await unlessRefused(see(me.space)))?.beings ?? []
    const stances = [...new Set([...named, ...around, ...(known ?? [])])].filter(
      (stance) =>
        stance.startsWith('@') && stance !== stanceOf(as) && covers(surface.canSummon, stance) !== undefined,
    )
    const found: SpeakableBeing[] = []
    for (const stance of stances.slice(0, SPEAKABLE_MAX)) {
      const being = parseStance(stance)
      const row = named.includes(stance) ? await reader.being(being) : await unlessRefused(regard(being))
      if (row !== null && row.ended === undefined) found.push({ stance, cognition: row.cognition.kind })
    }
    return found.sort((a, b) => (a.stance < b.stance ? -1 : 1))
  })
}
