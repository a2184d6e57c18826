import {
  type BeingName,
  CONTENT_BOUNDS,
  canonicalJson,
  guardJson,
  type Json,
  spaceAncestry,
  spaceName,
} from '@treeos/core'
import { composeRoles, type RoleSpec } from '@treeos/roles'
import { isOpenTo, type Seer, seenPlace } from '../gates/sight.ts'
import { expandSurface, type FaultListener, Unresolved, whyUnresolved } from '../read/expand-surface.ts'
import type { BuiltFace, Face, Resolvers, SeeInput, SeeResolver } from '../read/face.ts'
import type { WorldReader } from '../read/reader.ts'
import type { SubstrateView } from '../rows/lists.ts'
import { type BeingRow, beingKey, spaceKey } from '../rows/rows.ts'
import { seenWorld } from './seen-rows.ts'

/**
 * The views of the substrate that an LLM being sees when its primary role names none. A modifier adds its own to them.
 * @see docs/roles.md, "What a model sees"
 */
const DEFAULT_VIEWS: readonly SubstrateView[] = ['me', 'place', 'occupants', 'things', 'conversation']

/** Occupants beyond this are left out: a face must fit a prompt. */
const OCCUPANTS_MAX = 200

/**
 * Folds a being's face. Every read goes through the reader, so the basis is complete.
 * @param at.specs of the stack, primary first
 */
export async function buildFace(
  reader: WorldReader,
  registry: Resolvers,
  at: {
    me: BeingRow
    asker: BeingName | null
    specs: readonly RoleSpec[]
    lastSealed?: SeeInput['lastSealed']
    /** the value of the quality whose change woke it */
    changed?: (seer: Seer) => Promise<Json | undefined>
    /** a model decides, so it sees the default views where its role names none */
    forModel?: boolean
  },
  onFault: FaultListener = () => undefined,
): Promise<BuiltFace> {
  const lists = composeRoles(at.specs.map((spec) => ({ spec, prompt: '' })))
  const { surface, dropped } = await expandSurface(
    lists,
    {
      me: at.me,
      asker: at.asker,
      world: reader,
      tokens: registry,
      opens: (space) => isOpenTo(reader, at.me, space),
    },
    onFault,
  )
  const seer = { me: at.me, world: reader, surface }
  // Both gates read these for the place: one statement where a first moment reads them.
  await reader.prefetch([
    ...spaceAncestry(at.me.space).map(spaceKey),
    ...(at.me.parent === null ? [] : [beingKey(at.me.parent)]),
  ])
  const space = await seenPlace(seer)
  const occupants = space === null ? [] : await reader.occupants(at.me.space, OCCUPANTS_MAX)
  const views: { name: string; view: Json }[] = []
  const unseen: { see: string; reason: string }[] = []
  const { lastSealed = null } = at
  const sights = seenWorld(seer)
  for (const name of viewsOf(at.specs, lists.see, at.forModel === true)) {
    try {
      const { key, resolve } = seeResolver(registry, name)
      const world = isOfExtension(key) ? sights : reader
      const view = await resolve({ me: at.me, world, place: space, surface, lastSealed })
      guardJson(view, CONTENT_BOUNDS)
      if (view !== null) views.push({ name: name.slice(name.indexOf(':') + 1), view })
    } catch (error) {
      unseen.push({ see: name, reason: whyUnresolved(error) })
      onFault(`see ${name}`, error)
    }
  }
  const { roleFlow: _flow, ...qualities } = at.me.qualities
  // The fields stand in canonical order, so that writing them need not sort them.
  const changed = await at.changed?.(seer)
  const text = canonicalJson({
    ...(changed === undefined ? {} : { changed }),
    dropped: [...dropped, ...unseen],
    me: { home: at.me.home, name: at.me.name, qualities },
    occupants,
    space: {
      name: spaceName(at.me.space),
      path: at.me.space,
      qualities: space?.qualities ?? {},
      type: space?.type ?? 'unknown',
    },
    spaces: space === null ? [] : await reader.childSpaces(at.me.space),
    surface,
    views,
  } satisfies Face)
  // Key order shows in prompts. A stored face has canonical order, so a new one gets it too.
  return { face: JSON.parse(text) as Face, text }
}

function viewsOf([primary]: readonly RoleSpec[], named: readonly string[], forModel: boolean): string[] {
  const isDefault = forModel && primary?.see.length === 0
  return isDefault ? [...new Set<string>([...DEFAULT_VIEWS, ...named])] : [...named]
}

/** Views of the substrate ask of each thing whether it may be shown; those of extensions, whose names have a prefix, get no other. */
const isOfExtension = (key: string): boolean => key.includes(':')

/** Finds a see-resolver. A name without a prefix stands for the only resolver of that name in any extension. */
function seeResolver({ see }: Resolvers, name: string): { key: string; resolve: SeeResolver } {
  const named = see.get(name)
  if (named !== undefined) return { key: name, resolve: named }
  const found = name.includes(':') ? [] : [...see.keys()].filter((key) => key.endsWith(`:${name}`))
  if (found.length > 1)
    throw new Unresolved(`several see-resolvers are called so: ${found.sort().join(', ')}`)
  const [key = ''] = found
  const only = see.get(key)
  if (only === undefined) throw new Unresolved('no such see-resolver is registered')
  return { key, resolve: only }
}
