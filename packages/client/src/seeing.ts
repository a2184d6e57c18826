import { inSnapshot, prefetch, ReadSet } from '@treeos/chain'
import { type BeingName, stanceOf, TreeosError } from '@treeos/core'
import { actingToSee } from '@treeos/reality'
import {
  type BeingRow,
  type Descriptor,
  decideCall,
  driverOf,
  lookAround,
  momentCognition,
  openTime,
  type Surface,
  WorldReader,
} from '@treeos/world'
import type { Connection } from './acts.ts'
import { authorizeActingAs } from './persons.ts'

type SeeConnection = Omit<Connection, 'temporal'>

/**
 * SEE: reads an address as a being may, right now, and writes nothing anywhere. Its flow is evaluated for the verb `see`,
 * and both gates hold.
 * @throws {TreeosError} FORBIDDEN, ADDRESS_PARSE_ERROR, BEING_NOT_FOUND, SPACE_NOT_FOUND
 */
export async function see(at: SeeConnection, as: BeingName, address: string): Promise<Descriptor> {
  return withLook(at, as, (look) => look.see(address))
}

/** What a being knows of itself: who it is right now, and what it may reach for. */
export interface SelfView {
  readonly being: string
  /** the path of the space that it is in */
  readonly space: string
  readonly role: string
  readonly stacked: readonly string[]
  readonly surface: Surface
  /** SEE of itself; null where its own lists do not let it */
  readonly self: Descriptor | null
}

/**
 * What a being knows of itself, all at one instant.
 * @throws {TreeosError} BEING_NOT_FOUND, FORBIDDEN for whoever may not act as it, ROLE_UNAVAILABLE
 */
export async function describeSelf(at: SeeConnection, as: BeingName): Promise<SelfView> {
  return withLook(at, as, async ({ me, role, stacked, surface, see }) => ({
    being: stanceOf(me.name),
    space: me.space,
    role,
    stacked,
    surface,
    self: await see(stanceOf(me.name)).catch((error: unknown) => {
      if (error instanceof TreeosError && error.code === 'FORBIDDEN') return null
      throw error
    }),
  }))
}

/** A being that looks: nothing it sees comes from another instant. */
interface Look {
  readonly me: BeingRow
  readonly role: string
  readonly stacked: readonly string[]
  readonly surface: Surface
  see(address: string): Promise<Descriptor>
}

async function withLook<T>(at: SeeConnection, as: BeingName, use: (look: Look) => Promise<T>): Promise<T> {
  const lease = await authorizeActingAs(at, as)
  return inSnapshot(at.db, async (tx) => {
    const { source, lastSealed, now } = await prefetch(
      tx,
      { reality: at.reality.id, being: as },
      new ReadSet(),
    )
    const reader = new WorldReader(source)
    const me = await reader.being(as)
    if (me === null)
      throw new TreeosError('BEING_NOT_FOUND', `no being ${stanceOf(as)} lives in this reality`)
    const time = openTime(Math.max(now, lastSealed?.sealedAt ?? 0), at.reality.timeZone)
    const woken = { caller: null, asked: null, asker: null, trigger: null }
    const driver = lease === null ? null : driverOf(me, lease)
    const cognition = momentCognition(me, driver).kind
    const opening = { me, cognition, verb: 'see' as const, time, lastSealed, ...woken }
    const { result, face } = await lookAround(reader, at.registry, opening)
    if (result.skip !== undefined || face === null) {
      throw new TreeosError('ROLE_UNAVAILABLE', `${stanceOf(as)} wears no role right now: ${result.skip}`)
    }
    const caller = { name: as, role: result.primary, cognition }
    const acting = actingToSee(
      { db: tx, registry: at.registry },
      { reader, me, caller, driver, surface: face.surface },
    )
    return use({
      me,
      role: result.primary,
      stacked: result.stacked,
      surface: face.surface,
      see: async (address) => {
        const act = await decideCall({ verb: 'see', address }, acting)
        const seen = act.kind === 'act' ? act.seen : null
        if (seen === null) throw new Error('a look that shows nothing')
        return seen()
      },
    })
  })
}
