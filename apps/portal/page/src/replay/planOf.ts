import { groundOf, type Mark, type Plan, spotOn } from '../map/plan.ts'
import type { Trace, Track } from './track.ts'

const isOf = (kind: string, { key }: Trace): boolean => key.startsWith(kind)

/** The map of one space as it was. */
export function planOf(track: Track, traces: readonly Trace[], path: string): Plan {
  const space = traces.find(({ key }) => key === `space:${path}`)
  const ground = groundOf(space?.size ?? null, space?.floors ?? {})
  const marks = traces
    .filter(({ place, key, isEnded }) => place === path && key !== `space:${path}` && !isEnded)
    .map((trace): Mark => {
      const stack = track.stack(trace.stack)
      return {
        key: trace.key,
        spot: spotOn(ground, trace),
        roles: stack === null ? [] : [stack.primary.name, ...stack.stacked.map(({ name }) => name)],
        words: trace.words,
        isEnded: false,
        beings: isOf('space:', trace) ? beingsIn(traces, trace.key.slice('space:'.length)) : null,
      }
    })
  return { path, extent: ground.extent, walls: ground.walls, marks }
}

const beingsIn = (traces: readonly Trace[], path: string): number =>
  traces.reduce(
    (sum, trace) => (isOf('being:', trace) && trace.place === path && !trace.isEnded ? sum + 1 : sum),
    0,
  )

/** Paths of the spaces that were there, or in which something was. */
export function pathsOf(traces: readonly Trace[]): string[] {
  const paths = new Set<string>()
  for (const { key, place } of traces) {
    if (key.startsWith('space:')) paths.add(key.slice('space:'.length))
    if (place?.startsWith('/')) paths.add(place)
  }
  return [...paths].sort()
}

/** The space with most beings in it. */
export function fullestOf(traces: readonly Trace[]): string {
  const counts = new Map<string, number>()
  for (const { key, place } of traces)
    if (place !== null && key.startsWith('being:')) counts.set(place, (counts.get(place) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? '/'
}
