import { type BeingName, NO_ASIDE, stanceOf, TreeosError, unknownBeing, type VerbCall } from '@treeos/core'
import { authorizeActingAs, beginReading, liveQuestions, type Presence } from '@treeos/reality'
import { pinStack } from '@treeos/roles'
import { digestOf, inSnapshot, prefetch, ReadSet } from '@treeos/store'
import {
  type BeingRow,
  concludeUnlived,
  type Descriptor,
  type Registry,
  readWorld,
  type Surface,
  UNLIVED,
  type WorldReader,
} from '@treeos/world'

/** What a SEE needs: no Temporal client. */
export interface SeeConnection extends Presence {
  readonly registry: Registry
}

/** A being's view of itself: its place, its roles and its surface. */
export interface SelfView {
  readonly being: string
  /** path of the space that it is in */
  readonly space: string
  readonly role: string
  readonly stacked: readonly string[]
  readonly surface: Surface
  /** result of SEE on itself; null when its `canSee` does not allow that */
  readonly self: Descriptor | null
}

/**
 * A being's view of itself, read in one snapshot.
 * @throws {TreeosError} BEING_NOT_FOUND; FORBIDDEN when the person may not act as it; ROLE_UNAVAILABLE when
 *   its flow gives no role
 */
export async function describeSelf(at: SeeConnection, as: BeingName): Promise<SelfView> {
  return withSnapshot(at, as, async (snapshot) => ({
    ...wornIn(snapshot),
    self: await snapshot.see(stanceOf(snapshot.me.name)).catch((error: unknown) => {
      if (error instanceof TreeosError && error.code === 'FORBIDDEN') return null
      throw error
    }),
  }))
}

/**
 * The same without the SEE, which lists everybody in the same space.
 * @throws {TreeosError} as {@link describeSelf}
 */
export const describeWorn = (at: SeeConnection, as: BeingName): Promise<Omit<SelfView, 'self'>> =>
  withSnapshot(at, as, async (snapshot) => wornIn(snapshot))

const wornIn = ({ me, role, stacked, surface }: BeingSnapshot): Omit<SelfView, 'self'> => ({
  being: stanceOf(me.name),
  space: me.space,
  role,
  stacked,
  surface,
})

/** A being with its roles and surface in one snapshot, and SEE within it. */
export interface BeingSnapshot {
  readonly me: BeingRow
  readonly role: string
  readonly stacked: readonly string[]
  readonly surface: Surface
  /** of the snapshot, for what it may see and for who made whom */
  readonly reader: WorldReader
  /**
   * The snapshot. Until it ends, read through it alone: snapshots that each wait for another connection would
   * wait for ever.
   */
  readonly db: SeeConnection['db']
  see(address: string): Promise<Descriptor>
  /** The row of a being. Asks both gates as SEE does, and describes nothing around it: cheap for many. */
  regard(being: BeingName): Promise<BeingRow | null>
  /**
   * Asks both gates, and what the call would do itself, whether the being could make it now. Nothing is done.
   * @throws {TreeosError} the refusal
   */
  judge(call: VerbCall): Promise<void>
}

/**
 * Looks at several addresses as one being, in one snapshot. Each SEE asks both gates.
 * @throws {TreeosError} as `describeSelf`
 */
export async function withSnapshot<T>(
  at: SeeConnection,
  as: BeingName,
  use: (snapshot: BeingSnapshot) => Promise<T>,
): Promise<T> {
  const lease = await authorizeActingAs(at, as)
  return inSnapshot(at.db, async (tx) => {
    const read = await prefetch(tx, { reality: at.reality.id, being: as }, new ReadSet())
    // No mind reads the views of this face, so no note is searched for it.
    const aside = { ...read.source.aside, recalled: NO_ASIDE.recalled }
    const prefetched = { ...read, source: { ...read.source, aside } }
    const begun = await beginReading(at.reality, as, lease, prefetched)
    if (begun === null) throw unknownBeing(as)
    const { reader, me, time, driver } = begun
    const { lastSealed } = prefetched
    const woken = { kind: 'act', caller: null, asked: null, asker: null, trigger: null }
    const cognition = begun.cognition.kind
    const opening = { me, cognition, verb: 'see' as const, time, lastSealed, ...woken }
    const { result, face, program } = await readWorld(reader, at.registry, opening)
    if (result.skip !== undefined || face === null) {
      throw new TreeosError('ROLE_UNAVAILABLE', `${stanceOf(as)} wears no role right now: ${result.skip}`)
    }
    const worn = {
      stack: pinStack(program, result),
      surface: face.surface,
      role: { respondMode: 'none', selfContinue: false },
    } as const
    const live = liveQuestions(tx, UNLIVED, prefetched.source)
    const over = { reader, live, registry: at.registry, digest: digestOf }
    const conclude = (call: VerbCall, openedAt = 0) =>
      concludeUnlived({ being: as, worn, driver, cognition, openedAt }, call, over)
    const decided = async (address: string) => {
      const [seen] = (await conclude({ verb: 'see', address }))?.seen ?? []
      if (seen === undefined || !('show' in seen))
        throw new Error(`the SEE of ${address} was not decided as a SEE`)
      return seen.show
    }
    return use({
      me,
      reader,
      db: tx,
      role: result.primary,
      stacked: result.stacked,
      surface: face.surface,
      see: async (address) => (await decided(address))(),
      regard: async (being) => {
        await decided(stanceOf(being))
        return reader.being(being)
      },
      judge: async (call) => {
        await conclude(call, prefetched.now)
      },
    })
  })
}

/** What may be seen; null for what is not there or may not be seen. @throws any other error */
export async function unlessRefused<T>(seeing: Promise<T>): Promise<T | null> {
  try {
    return await seeing
  } catch (error) {
    if (error instanceof TreeosError && HIDDEN.has(error.code)) return null
    throw error
  }
}
const HIDDEN: ReadonlySet<string> = new Set([
  'FORBIDDEN',
  'SPACE_NOT_FOUND',
  'BEING_NOT_FOUND',
  'EXTENSION_BLOCKED',
])
