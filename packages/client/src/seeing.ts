import { Asked, digestOf, glance, inSnapshot, shelvesOf, threadOf } from '@treeos/chain'
import { type BeingName, PRIORITIES, stanceOf, TreeosError } from '@treeos/core'
import {
  catalogsOf,
  type Descriptor,
  decideCall,
  driverOf,
  lookAround,
  momentCognition,
  openTime,
  WorldReader,
} from '@treeos/world'
import type { Connection } from './living.ts'
import { handsFor } from './persons.ts'

/**
 * SEE: reads an address as a being may, right now, and writes nothing anywhere. Its flow is evaluated for the verb `see`,
 * and both gates hold.
 * @throws {TreeosError} FORBIDDEN, ADDRESS_PARSE_ERROR, BEING_NOT_FOUND, SPACE_NOT_FOUND
 */
export async function see(
  at: Omit<Connection, 'temporal'>,
  as: BeingName,
  address: string,
): Promise<Descriptor> {
  const lease = await handsFor(at, as)
  return inSnapshot(at.db, async (tx) => {
    const { source, lastSealed, now } = await glance(tx, { reality: at.reality.id, being: as }, new Asked())
    const reader = new WorldReader(source)
    const me = await reader.being(as)
    if (me === null)
      throw new TreeosError('BEING_NOT_FOUND', `no being ${stanceOf(as)} lives in this reality`)
    const time = openTime(Math.max(now, lastSealed?.sealedAt ?? 0), at.reality.timeZone)
    const woken = { caller: null, asked: null, asker: null, trigger: null }
    const driver = lease === null ? null : driverOf(me, lease)
    const cognition = momentCognition(me, driver).kind
    const opening = { me, cognition, verb: 'see' as const, time, lastSealed, ...woken }
    const { result, face } = await lookAround(reader, at.parts, opening)
    if (result.skip !== undefined || face === null) {
      throw new TreeosError('ROLE_UNAVAILABLE', `${stanceOf(as)} wears no role right now: ${result.skip}`)
    }
    const { seen } = await decideCall(
      { verb: 'see', address },
      {
        reader,
        parts: at.parts,
        moment: 'see',
        me,
        caller: { name: as, role: result.primary, cognition },
        driver,
        surface: face.surface,
        wake: NO_WAKE,
        hops: 0,
        role: { defaultOrientation: 'forward', replyTo: 'asker', respondMode: 'none' },
        correlation: '',
        digest: digestOf,
        asker: async () => null,
        opener: async () => null,
        outside: async () => null,
        thread: (id) => threadOf(tx, id),
        catalogs: () => catalogsOf(at.parts, shelvesOf(tx)),
      },
    )
    if (seen === null) throw new Error('a look that shows nothing')
    return seen()
  })
}

/** A read is opened by nothing. */
const NO_WAKE = {
  id: '',
  being: '',
  kind: 'event',
  priority: PRIORITIES.human,
  caller: null,
  content: null,
  root: '',
  inReplyTo: null,
  askedRole: null,
  hops: 0,
  continues: 0,
  cause: null,
} as const
