import {
  type BeingName,
  CONTENT_BOUNDS,
  canonicalJson,
  guardJson,
  type Json,
  type JsonObject,
  type RoleName,
  type SpacePath,
} from '@treeos/core'
import { composeRoles, type RoleSpec } from '@treeos/roles'
import type { SubstrateView, Surface } from '../rows/lists.ts'
import type { BeingRow } from '../rows/rows.ts'
import {
  type DroppedEntry,
  expandSurface,
  type FaultListener,
  type TokenResolvers,
  Unresolved,
  whyUnresolved,
} from './expand-surface.ts'
import type { WorldReader } from './reader.ts'

/**
 * What a being sees in one moment: itself, its space, the beings in it, and the views of its see-resolvers. It is folded from
 * one snapshot and kept by digest; replay folds it again from the basis.
 */
export interface Face {
  readonly me: { readonly name: BeingName; readonly home: SpacePath; readonly qualities: JsonObject }
  readonly space: {
    readonly path: SpacePath
    readonly name: string
    readonly type: string
    readonly qualities: JsonObject
  }
  readonly occupants: readonly BeingName[]
  readonly spaces: readonly SpacePath[]
  /** views of the see-resolvers, in the order in which the roles name them */
  readonly views: readonly { readonly name: string; readonly view: Json }[]
  /** the composed lists after expansion */
  readonly surface: Surface
  /** entries and views that were left out, and why */
  readonly dropped: readonly (DroppedEntry | { readonly see: string; readonly reason: string })[]
}

/** A face, and its canonical JSON. The JSON is what is hashed and stored. */
export interface BuiltFace {
  readonly face: Face
  readonly text: string
}

/** Makes a view of the world that a role needs to act. Null: no view. */
export type SeeResolver = (input: SeeInput) => Json | Promise<Json>

export interface SeeInput {
  readonly me: BeingRow
  readonly world: WorldReader
  /** the composed lists after expansion: what is not in `canSee` belongs into no view */
  readonly surface: Surface
  /** ms since 1970 UTC, and the primary role, of the being's last act; null before the first */
  readonly lastSealed: { readonly sealedAt: number; readonly primary: RoleName } | null
}

/** The code that a face is made with. */
export interface Resolvers extends TokenResolvers {
  readonly see: ReadonlyMap<string, SeeResolver>
}

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
    /** a model decides, so it sees the default views where its role names none */
    forModel?: boolean
  },
  onFault: FaultListener = () => undefined,
): Promise<BuiltFace> {
  const lists = composeRoles(at.specs.map((spec) => ({ spec, prompt: '' })))
  const space = await reader.space(at.me.space)
  const occupants = await reader.occupants(at.me.space, OCCUPANTS_MAX)
  const { surface, dropped } = await expandSurface(
    lists,
    { me: at.me, asker: at.asker, world: reader, tokens: registry },
    onFault,
  )
  const views: { name: string; view: Json }[] = []
  const unseen: { see: string; reason: string }[] = []
  const { lastSealed = null } = at
  for (const name of viewsOf(at.specs, lists.see, at.forModel === true)) {
    try {
      const view = await seeResolver(registry, name)({ me: at.me, world: reader, surface, lastSealed })
      guardJson(view, CONTENT_BOUNDS)
      if (view !== null) views.push({ name: name.slice(name.indexOf(':') + 1), view })
    } catch (error) {
      unseen.push({ see: name, reason: whyUnresolved(error) })
      onFault(`see ${name}`, error)
    }
  }
  const { roleFlow: _flow, ...qualities } = at.me.qualities
  // The fields stand in canonical order, so that writing them need not sort them.
  const text = canonicalJson({
    dropped: [...dropped, ...unseen],
    me: { home: at.me.home, name: at.me.name, qualities },
    occupants,
    space: {
      name: space?.name ?? at.me.space,
      path: at.me.space,
      qualities: space?.qualities ?? {},
      type: space?.type ?? 'unknown',
    },
    spaces: await reader.childSpaces(at.me.space),
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

/** Finds a see-resolver. A name without a prefix stands for the only resolver of that name in any extension. */
function seeResolver({ see }: Resolvers, name: string): SeeResolver {
  const named = see.get(name)
  if (named !== undefined) return named
  const found = name.includes(':') ? [] : [...see.keys()].filter((key) => key.endsWith(`:${name}`))
  if (found.length > 1)
    throw new Unresolved(`several see-resolvers are called so: ${found.sort().join(', ')}`)
  const only = see.get(found[0] ?? '')
  if (only === undefined) throw new Unresolved('no such see-resolver is registered')
  return only
}
