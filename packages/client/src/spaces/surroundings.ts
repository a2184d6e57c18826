import type { BeingName } from '@treeos/core'
import {
  type BeingSnapshot,
  type SeeConnection,
  unlessRefused,
  withSnapshot,
} from '../beings/being-snapshot.ts'

/** A space in the tree of what a being may see. */
export interface SpaceNode {
  readonly path: string
  readonly type: string
  readonly beings: number
  readonly things: number
  /** how many beings and things are in it and in the spaces inside that it may see */
  readonly within: { readonly beings: number; readonly things: number }
  /** paths of the spaces inside that it may see */
  readonly children: readonly string[]
}

export interface Surroundings {
  /** the space where the being is */
  readonly here: string
  readonly spaces: readonly SpaceNode[]
  /** true: there are more spaces than are shown */
  readonly more: boolean
}

const SPACES_MAX = 2000

/** A space with the stances of who is inside it. */
export interface SpaceSeen extends Omit<SpaceNode, 'within'> {
  readonly inside: readonly string[]
}

/**
 * The tree of the spaces that a being may see now, parents before children. It begins at the root, and where
 * that may not be seen at the places that the being's own list names.
 * @throws {TreeosError} as `describeSelf`
 */
export function surroundings(at: SeeConnection, as: BeingName): Promise<Surroundings> {
  return withSnapshot(at, as, async (snapshot) => {
    const { spaces, more } = await spacesSeen(snapshot)
    const within = summed(spaces)
    const told = spaces.map(({ inside: _, ...node }) => ({ ...node, within: within(node.path) }))
    return { here: snapshot.me.space, spaces: told, more }
  })
}

/** The same, within one snapshot. */
export async function spacesSeen(
  snapshot: BeingSnapshot,
): Promise<{ readonly spaces: readonly SpaceSeen[]; readonly more: boolean }> {
  const literals = snapshot.surface.canSee.filter(
    (entry) => typeof entry === 'string' && entry.startsWith('/'),
  )
  const queue = ['/', snapshot.me.space, snapshot.me.home, ...(literals as string[])]
  const spaces = new Map<string, SpaceSeen>()
  const asked = new Set<string>()
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (asked.has(path)) continue
    if (spaces.size === SPACES_MAX) return { spaces: ordered(spaces), more: true }
    asked.add(path)
    const seen = await unlessRefused(snapshot.see(path))
    if (seen === null) continue
    const { type, beings, matters, children } = seen
    spaces.set(path, { path, type, beings: beings.length, things: matters.length, children, inside: beings })
    queue.push(...children)
  }
  return { spaces: ordered(spaces), more: false }
}

const ordered = (spaces: ReadonlyMap<string, SpaceSeen>): SpaceSeen[] =>
  [...spaces.values()]
    .map((node) => ({ ...node, children: node.children.filter((child) => spaces.has(child)) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))

/**
 * Counts of spaces with those of the spaces inside, at any depth.
 * @param spaces outer ones before inner ones, by their paths
 */
function summed(spaces: readonly SpaceSeen[]): (path: string) => SpaceNode['within'] {
  const sums = new Map<string, SpaceNode['within']>()
  const sumOf = (path: string) => sums.get(path) ?? { beings: 0, things: 0 }
  for (const { path, beings, things, children } of spaces.toReversed())
    sums.set(
      path,
      children
        .map(sumOf)
        .reduce((sum, one) => ({ beings: sum.beings + one.beings, things: sum.things + one.things }), {
          beings,
          things,
        }),
    )
  return sumOf
}
