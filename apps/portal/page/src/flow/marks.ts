import { orderedJson } from '../text/ordered-json.ts'
import type { MarkedMoment } from './useWhatIf.ts'

/**
 * A past moment at a clause. `left`: it held, and holds no more under the draft. `came`: it holds under the
 * draft only.
 */
export interface ClauseMark {
  readonly n: number
  readonly openedAt: string
  readonly change: 'none' | 'came' | 'left'
}

interface MarkedFlows {
  readonly published: readonly unknown[]
  readonly draft: readonly unknown[]
  /** as the published flow judges them, newest first */
  readonly before: readonly MarkedMoment[]
  /** as the draft judges some of them; none while it was not tried */
  readonly after: readonly MarkedMoment[]
}

/** The marks of each clause of the draft, newest first, and last those of the default role. */
export function marksOf({
  published,
  draft,
  before,
  after,
}: MarkedFlows): readonly (readonly ClauseMark[])[] {
  const places = placesIn(published, draft)
  const tried = new Map(after.map((moment) => [moment.n, moment]))
  return [...places, published.length].map((place, at) =>
    before.flatMap((moment): ClauseMark[] => {
      const held = place !== null && holdsAt(moment, place, published.length)
      const under = tried.get(moment.n)
      const holds = under === undefined ? held : holdsAt(under, at, draft.length)
      if (!held && !holds) return []
      const { n, openedAt } = moment
      return [{ n, openedAt, change: held === holds ? 'none' : holds ? 'came' : 'left' }]
    }),
  )
}

/** @param end the place after all clauses, which is that of the default role */
const holdsAt = ({ clauses, source }: MarkedMoment, place: number, end: number): boolean =>
  place === end ? source === 'default' : clauses.includes(place)

/**
 * Where each clause of a draft stands in the published flow; null for a new one. One that was rewritten is the
 * one at its place, unless that one only moved.
 */
export function placesIn(published: readonly unknown[], draft: readonly unknown[]): (number | null)[] {
  const left = new Map(published.map((clause, place) => [place, orderedJson(clause)]))
  const same = draft.map((clause) => {
    const text = orderedJson(clause)
    const [found] = [...left].find(([, one]) => one === text) ?? []
    if (found !== undefined) left.delete(found)
    return found ?? null
  })
  return same.map((place, at) => place ?? (left.delete(at) ? at : null))
}

/** The past of a being at the clauses of its draft. */
export interface FlowPicture {
  /** for each clause, and last for the default role */
  readonly marks: ReturnType<typeof marksOf>
  /** places that held in the last moment; the one after all clauses is the default role */
  readonly lit: ReadonlySet<number>
  /** how many moments are marked */
  readonly looked: number
  /** number of the newest one */
  readonly last: number
}

/** @returns null where no moment is known */
export function pictureOf(flows: MarkedFlows): FlowPicture | null {
  const [newest] = flows.before
  if (newest === undefined) return null
  const places = [...placesIn(flows.published, flows.draft), flows.published.length]
  const lit = places.flatMap((place, at) =>
    place !== null && holdsAt(newest, place, flows.published.length) ? [at] : [],
  )
  return { marks: marksOf(flows), lit: new Set(lit), looked: flows.before.length, last: newest.n }
}
