import {
  type BeingName,
  beingReel,
  isJsonObject,
  type JsonObject,
  matterReel,
  parseStance,
} from '@treeos/core'
import { matterKey, mayRead, spaceKey } from '@treeos/world'
import { type SeeConnection, unlessRefused, withSnapshot } from '../beings/being-snapshot.ts'
import type { BeingState } from '../beings/states.ts'
import { type LastMoment, regardAll } from './occupants.ts'
import { type Floor, type Spot, squaresIn } from './place-change.ts'

/** Something in a space, with where it is. */
export interface ChartEntry {
  /** `being:ada`, `space:/court`, `matter:…` */
  readonly key: string
  readonly coord: Spot | null
  /** squares on floors of extensions, by namespace */
  readonly spots: Readonly<Record<string, Spot | null>>
  /**
   * what a being wore in its last moment, the primary role first; empty where that is not open to the person
   */
  readonly roles: readonly string[]
  /** the beginning of the last words that it spoke */
  readonly words: string | null
  readonly isEnded: boolean
  /** of a being, the most important first */
  readonly states: readonly BeingState[]
  /** of a space: how many beings are in it, if the person may see that */
  readonly beings: number | null
}

/** One space from above. */
export interface Chart {
  readonly path: string
  readonly size: Spot | null
  readonly floors: Readonly<Record<string, Floor | null>>
  readonly marks: readonly ChartEntry[]
  /** how many beings and things are there that are not shown */
  readonly others: number
}

const BEINGS_MAX = 2000
const THINGS_MAX = 500
const SPACES_MAX = 200
const WORDS_MAX = 200

/** Where everything in a space is, as the person may see it. @throws {TreeosError} as `see` */
export function chart(at: SeeConnection, as: BeingName, path: string): Promise<Chart> {
  return withSnapshot(at, as, async (snapshot) => {
    const { beings, matters, children, size, qualities } = await snapshot.see(path)
    const regarded = await regardAll(
      snapshot,
      as,
      beings.slice(0, BEINGS_MAX).map((stance) => parseStance(stance)),
    )
    const marks = regarded.map(
      ({ being, row, states, last }): ChartEntry => ({
        ...chartedPlace(row ?? {}),
        key: beingReel(being),
        roles: rolesOf(last),
        words: beginningOf(last),
        isEnded: row?.ended !== undefined,
        states,
        beings: null,
      }),
    )
    const things = matters.slice(0, THINGS_MAX)
    await snapshot.reader.prefetch(things)
    for (const key of things) {
      const row = await snapshot.reader.row(matterKey(key.slice(matterReel('').length)))
      const { me, surface, reader: world } = snapshot
      const isRead = row !== null && (await mayRead({ me, surface, world }, row))
      const { coord, qualities } = row ?? {}
      const where = { ...(coord && { coord }), ...(isRead && { qualities: qualities ?? {} }) }
      marks.push({ ...NOTHING_TOLD, ...chartedPlace(where), key })
    }
    for (const child of children.slice(0, SPACES_MAX)) {
      const seen = await unlessRefused(snapshot.see(child))
      if (seen !== null)
        marks.push({
          ...NOTHING_TOLD,
          ...chartedPlace(seen),
          key: spaceKey(child),
          beings: seen.beings.length,
        })
    }
    return {
      path,
      size: size === undefined ? null : { x: size.x, y: size.y },
      floors: squaresIn(qualities).floors ?? {},
      marks,
      others: beings.length - regarded.length + matters.length - things.length,
    }
  })
}

const NOTHING_TOLD = { roles: [], words: null, isEnded: false, states: [], beings: null }

function chartedPlace({ coord, qualities }: { readonly coord?: Spot; readonly qualities?: JsonObject }) {
  const { spots = {} } = squaresIn(isJsonObject(qualities ?? null) ? qualities : {})
  return { coord: coord === undefined ? null : { x: coord.x, y: coord.y }, spots }
}

const rolesOf = (last: LastMoment | null): string[] =>
  [last?.primary ?? null, ...(last?.stacked ?? [])].filter((role) => role !== null)

function beginningOf(last: LastMoment | null): string | null {
  if (last === null || last.words === null) return null
  const text = typeof last.words === 'string' ? last.words : JSON.stringify(last.words)
  return text.slice(0, WORDS_MAX).toWellFormed()
}
