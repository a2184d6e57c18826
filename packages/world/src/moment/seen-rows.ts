import { asJson, type MatterId, NO_ASIDE, reelOfKey, stanceOf } from '@treeos/core'
import { mayRead, mayRegard, maySee, maySeeSpace, type Seer } from '../gates/sight.ts'
import { type RowSource, WorldReader } from '../read/reader.ts'
import { matterKey, type Row, withKind } from '../rows/rows.ts'

/**
 * The world as one being sees it, for code of an extension that shows it something. What the being may not
 * see is not there. Of who and what is in a place that it sees it knows that much: a row without content.
 */
export const seenWorld = (seer: Seer): WorldReader => new WorldReader(seenRows(seer))

function seenRows(seer: Seer): RowSource {
  const { world, me } = seer
  const isSeenPlace = async (place: string): Promise<boolean> => {
    if (!place.startsWith('@')) return maySeeSpace(seer, place)
    const being = await world.being(place.slice(1))
    return being !== null && (being.name === me.name || maySee(seer, { kind: 'being', being }))
  }
  const inPlace = async <T>(place: string, none: T, read: () => Promise<T>): Promise<T> =>
    (await isSeenPlace(place)) ? read() : none
  return {
    async rows(keys) {
      await world.prefetch(keys)
      const found: Awaited<ReturnType<RowSource['rows']>> = []
      for (const key of keys) {
        const row = await world.row(key)
        const head = world.heads.get(reelOfKey(key))
        if (head === undefined) throw new Error(`${key} was read without a head`)
        found.push({ key, state: asJson(row === null ? null : await seenRow(seer, key, row)), head })
      }
      return found
    },
    keysInPlace: (place, kind, most = null) =>
      inPlace(place, [], async () => {
        if (kind === 'matter:') return (await world.matters(place, most)).map((id) => `${kind}${id}`)
        if (kind === 'being:') return (await world.occupants(place, most)).map((name) => `${kind}${name}`)
        return (await world.childSpaces(place)).slice(0, most ?? undefined).map((path) => `${kind}${path}`)
      }),
    countInPlace: (place, kind) =>
      inPlace(place, 0, async () => {
        if (kind === 'matter:') return world.countMatters(place)
        return kind === 'being:' ? world.countOccupants(place) : (await world.childSpaces(place)).length
      }),
    keysOfChildren: (being) =>
      inPlace(stanceOf(being), [], async () => (await world.children(being)).map((name) => `being:${name}`)),
    keysOfBeings: async () => (await world.everyBeing()).map(({ name }) => `being:${name}`),
    blob: (digest) => world.kept(digest),
    aside: {
      said: () => world.said(),
      did: () => world.did(),
      wore: (beings) => world.wore(beings),
      waiting: () => world.waiting(),
      threads: () => world.threads(),
      recalled: (asked) => world.recalled(asked, (ids) => readableAmong(seer, ids)),
      past: NO_ASIDE.past, // past acts are for who looks back, whatever code it wears
    },
  }
}

/** A row as the being sees it; null where it may not know that it is there. */
async function seenRow(seer: Seer, key: string, row: Row): Promise<Row | null> {
  const found = withKind(key, row)
  switch (found.kind) {
    case 'being': {
      const being = found.row
      if (being.name === seer.me.name || (await maySee(seer, { kind: 'being', being }))) return being
      const isThere = (await maySeeSpace(seer, being.space)) && (await mayRegard(seer, being))
      return isThere ? { ...being, qualities: {} } : null
    }
    case 'space':
      return (await maySee(seer, { kind: 'space', space: found.row })) ? found.row : null
    case 'matter': {
      const matter = found.row
      if (await mayRead(seer, matter)) return matter
      const isThere = matter.place?.startsWith('/') === true && (await maySeeSpace(seer, matter.place))
      return isThere ? { ...matter, content: null, qualities: {} } : null
    }
    default:
      return row // signals, roles and cuts are open to all
  }
}

/**
 * Those of these notes that the being may read. The others leave no trace in its record, not even that they
 * are there.
 */
async function readableAmong(seer: Seer, ids: readonly MatterId[]): Promise<ReadonlySet<MatterId>> {
  const untraced = { ...seer, world: seer.world.untraced() }
  await untraced.world.prefetch(ids.map(matterKey))
  const readable = new Set<MatterId>()
  for (const id of ids) {
    const matter = await untraced.world.matter(id)
    if (matter !== null && (await mayRead(untraced, matter))) readable.add(id)
  }
  return readable
}
