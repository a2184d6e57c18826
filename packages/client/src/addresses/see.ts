import { type BeingName, readPath, sealedId, stanceOf } from '@treeos/core'
import { openedIn } from '@treeos/reality'
import { type Descriptor, matterKey } from '@treeos/world'
import { type BeingSnapshot, type SeeConnection, withSnapshot } from '../beings/being-snapshot.ts'
import { suggesting } from './suggestion.ts'

/**
 * SEE: reads an address as a being, now, and writes nothing. Evaluates the being's flow for the verb `see`
 * and asks both gates. A person reads the text of a note from outside where it may be asked to vouch for it.
 * @throws {TreeosError} FORBIDDEN, ADDRESS_PARSE_ERROR, BEING_NOT_FOUND, SPACE_NOT_FOUND; ROLE_UNAVAILABLE
 *   when the flow gives no role
 */
export async function see(at: SeeConnection, as: BeingName, address: string): Promise<Descriptor> {
  return suggesting(
    at,
    as,
    withSnapshot(at, as, async (snapshot) => withNote(snapshot, await snapshot.see(address))),
  )
}

/** Nobody vouches for a text that it cannot read: its owner and the makers of that do, so they read it. */
async function withNote({ me, reader, db }: BeingSnapshot, seen: Descriptor): Promise<Descriptor> {
  const id = sealedId(readPath(seen.content ?? null, ['text']))
  const [owner] = seen.beingLineage
  if (seen.seen === undefined || id === null || owner === undefined || me.cognition.kind !== 'human')
    return seen
  const makers = (await reader.lineage(owner.slice(1))).map(({ name }) => stanceOf(name))
  if (![owner, ...makers].includes(stanceOf(me.name))) return seen
  return { ...seen, content: await openedIn(db, matterKey(id), seen.content ?? null) }
}
