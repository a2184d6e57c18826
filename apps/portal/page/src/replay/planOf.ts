import { groundOf, type MapMark, type Plan, spotOn } from '../map/plan.ts'
import { inPathOrder } from '../text/by-name.ts'
import type { Track, TrackPoint } from './track.ts'

const isOf = (kind: string, { key }: TrackPoint): boolean => key.startsWith(kind)

/** As many as the map of the present shows. The list beside it has all beings. */
const MARKS_MAX = 2000

/** The map of one space as it was. */
export function planOf(track: Track, traces: readonly TrackPoint[], path: string): Plan {
  const space = traces.find(({ key }) => key === `space:${path}`)
  const ground = groundOf(space?.size ?? null, space?.floors ?? {})
  const here = traces.filter(({ place, isEnded }) => place === path && !isEnded).slice(0, MARKS_MAX)
  const counts = here.some((trace) => isOf('space:', trace)) ? populationsOf(traces, true) : new Map()
  const marks = here.map((trace): MapMark => {
    const stack = track.stack(trace.stack)
    return {
      key: trace.key,
      spot: spotOn(ground, trace),
      roles: stack === null ? [] : [stack.primary.name, ...stack.stacked.map(({ name }) => name)],
      words: trace.words,
      isEnded: false,
      beings: isOf('space:', trace) ? (counts.get(trace.key.slice('space:'.length)) ?? 0) : null,
    }
  })
  return { path, extent: ground.extent, walls: ground.walls, marks }
}

/** How many beings were in each space. @param isDeep those in the spaces inside count, too */
function populationsOf(traces: readonly TrackPoint[], isDeep = false): Map<string, number> {
  const counts = new Map<string, number>()
  for (const trace of traces)
    if (trace.place !== null && isOf('being:', trace) && !trace.isEnded)
      for (const path of isDeep ? upFrom(trace.place) : [trace.place])
        counts.set(path, (counts.get(path) ?? 0) + 1)
  return counts
}

/** A space, and those that it is inside of: `/a/b`, `/a`, `/`. */
export function upFrom(path: string): string[] {
  const parts = path.split('/').filter(Boolean)
  return parts.map((_, i) => `/${parts.slice(0, parts.length - i).join('/')}`).concat('/')
}

/** Paths of the spaces that were there, or in which something was. */
export function pathsOf(traces: readonly TrackPoint[]): string[] {
  const paths = new Set<string>()
  for (const { key, place } of traces) {
    if (key.startsWith('space:')) paths.add(key.slice('space:'.length))
    if (place?.startsWith('/')) paths.add(place)
  }
  return inPathOrder(paths, (path) => path)
}

/** The space with most beings in it. */
export const fullestOf = (traces: readonly TrackPoint[]): string =>
  [...populationsOf(traces)].sort(([, a], [, b]) => b - a)[0]?.[0] ?? '/'
