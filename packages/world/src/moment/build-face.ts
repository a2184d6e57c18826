import {
  type BeingName,
  beingReel,
  CONTENT_BOUNDS,
  canonicalJson,
  guardJson,
  type Json,
  matterReel,
  type ReelId,
  spaceAncestry,
  spaceName,
  spaceReel,
  stanceOf,
} from '@treeos/core'
import { composeRoles, type RoleSpec } from '@treeos/roles'
import type { Registry } from '../extend/registry.ts'
import { isOpenTo, type Seer, seenPlace } from '../gates/sight.ts'
import { inwardLists } from '../orientation/inward-lists.ts'
import { PAST_VIEW, pastOf } from '../orientation/past.ts'
import {
  expandSurface,
  type FaultListener,
  type TokenResolvers,
  UnresolvedEntryError,
  whyUnresolved,
} from '../read/expand-surface.ts'
import type { BuiltFace, Face, FaceFile, Resolvers, SeeInput, SeeResolver } from '../read/face.ts'
import type { WorldReader } from '../read/reader.ts'
import type { SubstrateView } from '../rows/lists.ts'
import { withoutShadow } from '../rows/qualities.ts'
import { type BeingRow, beingKey, type SpaceRow, spaceKey } from '../rows/rows.ts'
import { VIEW_BOUNDS } from '../views/bounds.ts'
import { seenWorld } from './seen-rows.ts'
import { targetsFor } from './targets.ts'

/**
 * The views of the substrate that an LLM being sees, unless its primary role says `views: "only"`. Roles add
 * those that they name.
 * @see docs/roles.md, "What a model sees"
 */
const DEFAULT_VIEWS: readonly SubstrateView[] = ['me', 'place', 'occupants', 'things', 'conversation']

/** Occupants beyond this are left out: a face must fit a prompt. */
const OCCUPANTS_MAX = 200

/** What a face is folded for. */
interface FaceInputs {
  readonly me: BeingRow
  readonly asker: BeingName | null
  /** of the stack, primary first */
  readonly specs: readonly RoleSpec[]
  readonly lastSealed?: SeeInput['lastSealed']
  /** the value of the quality whose change woke it */
  readonly changed?: (seer: Seer) => Promise<Json | undefined>
  /** the files that its wake brings */
  readonly files?: (seer: Seer) => Promise<readonly FaceFile[]>
  /** a model decides, so it sees the default views, and is told the targets of its calls */
  readonly forModel?: boolean
  /** shows own past acts beside the world */
  readonly half?: boolean
  /** the address of what changed and woke it */
  readonly quoted?: string | null
}

/**
 * Folds a being's face. Every read goes through the reader, so the basis is complete.
 */
export async function buildFace(
  reader: WorldReader,
  registry: Resolvers & Pick<Registry, 'operations'>,
  at: FaceInputs,
  onFault: FaultListener = () => undefined,
): Promise<BuiltFace> {
  const { surface, dropped } = await forwardSurface(reader, registry, at, onFault)
  const seer = { me: at.me, world: reader, surface }
  // Both gates read these for the place: one statement where a first moment reads them.
  await reader.prefetch([
    ...spaceAncestry(at.me.space).map(spaceKey),
    ...(at.me.parent === null ? [] : [beingKey(at.me.parent)]),
  ])
  const space = await seenPlace(seer)
  const occupants = space === null ? [] : await reader.occupants(at.me.space, OCCUPANTS_MAX)
  const { views, unseen } = await viewsOf(seer, space, registry, at, onFault)
  const { roleFlow: _flow, ...qualities } = withoutShadow(at.me.qualities)
  const past = at.half === true ? [await pastView(seer, await reelsOf(seer, { space, occupants, at }))] : []
  // The fields stand in canonical order, so that writing them need not sort them.
  const changed = await at.changed?.(seer)
  const files = await at.files?.(seer)
  const around = { seesPlace: space !== null, occupants, asker: at.asker }
  const targets = at.forModel === true ? await targetsFor(seer, registry.operations, around) : undefined
  const text = canonicalJson({
    ...(changed === undefined ? {} : { changed }),
    dropped: [...dropped, ...unseen],
    ...(files === undefined ? {} : { files }),
    me: { home: at.me.home, name: at.me.name, qualities },
    occupants,
    ...(at.half === true ? { orientation: 'half' as const } : {}),
    space: {
      name: spaceName(at.me.space),
      path: at.me.space,
      qualities: withoutShadow(space?.qualities ?? {}),
      type: space?.type ?? 'unknown',
    },
    spaces: space === null ? [] : await reader.childSpaces(at.me.space),
    surface: {
      canBe: surface.canBe,
      canDo: surface.canDo,
      canSee: surface.canSee,
      canSummon: surface.canSummon,
    },
    ...(targets === undefined ? {} : { targets }),
    views: [...views, ...past],
  } satisfies Face)
  // Key order shows in prompts. A stored face has canonical order, so a new one gets it too.
  return { face: JSON.parse(text) as Face, text }
}

type SurfaceInputs = Pick<FaceInputs, 'me' | 'asker' | 'specs'>

/** The expanded lists of a stack, and those entries that could not be expanded. */
function forwardSurface(
  reader: WorldReader,
  tokens: TokenResolvers,
  { me, asker, specs }: SurfaceInputs,
  onFault?: FaultListener,
): ReturnType<typeof expandSurface> {
  const lists = composeRoles(specs.map((spec) => ({ spec, prompt: '' })))
  const opens = (space: SpaceRow) => isOpenTo(reader, me, space)
  return expandSurface(lists, { me, asker, world: reader, tokens, opens }, onFault)
}

/** The same of a moment that looks inward: without the entries that need the world. */
async function inwardSurface(
  reader: WorldReader,
  tokens: TokenResolvers,
  { me, asker, specs }: SurfaceInputs,
  onFault?: FaultListener,
): ReturnType<typeof expandSurface> {
  const { lists, dropped } = inwardLists(composeRoles(specs.map((spec) => ({ spec, prompt: '' }))))
  const { surface } = await expandSurface(
    lists,
    { me, asker, world: reader, tokens, opens: async () => false },
    onFault,
  )
  return { surface, dropped }
}

/** The expanded lists of a moment, as its face has them. */
export const surfaceOf = (
  reader: WorldReader,
  tokens: TokenResolvers,
  wearing: SurfaceInputs,
  isInward: boolean,
): ReturnType<typeof expandSurface> =>
  isInward ? inwardSurface(reader, tokens, wearing) : forwardSurface(reader, tokens, wearing)

/**
 * Folds the face of a moment that looks inward: the being, its own acts, and those entries of its lists that
 * need no world.
 */
export async function buildInwardFace(
  reader: WorldReader,
  registry: Resolvers,
  { me, asker, specs }: Pick<FaceInputs, 'me' | 'asker' | 'specs'>,
  onFault: FaultListener = () => undefined,
): Promise<BuiltFace> {
  const { surface, dropped } = await inwardSurface(reader, registry, { me, asker, specs }, onFault)
  const { roleFlow: _flow, ...qualities } = withoutShadow(me.qualities)
  const text = canonicalJson({
    dropped,
    me: { home: me.home, name: me.name, qualities },
    occupants: [],
    orientation: 'inward',
    space: { name: '', path: '', qualities: {}, type: 'unknown' },
    spaces: [],
    surface,
    views: [await pastView({ me, world: reader, surface }, null)],
  } satisfies Face)
  return { face: JSON.parse(text) as Face, text }
}

async function pastView(seer: Seer, reels: readonly ReelId[] | null): Promise<FaceView> {
  seer.world.takeOutside() // of others before
  const view = await pastOf(seer, reels)
  return { name: PAST_VIEW, view, ...(seer.world.takeOutside() ? { outside: true } : {}) }
}

/** The reels of what a face shows, without that of the being itself. */
async function reelsOf(
  { me, world }: Seer,
  {
    space,
    occupants,
    at: { asker, quoted = null },
  }: { space: SpaceRow | null; occupants: readonly BeingName[]; at: FaceInputs },
): Promise<ReelId[]> {
  const things = [
    ...(space === null ? [] : await world.matters(space.path, VIEW_BOUNDS.things)),
    ...(await world.matters(stanceOf(me.name), VIEW_BOUNDS.things)),
  ]
  const beings = [...occupants.slice(0, VIEW_BOUNDS.occupants + 1), ...(asker === null ? [] : [asker])]
  const reels = [
    ...(space === null ? [] : [spaceReel(space.path)]),
    ...beings.filter((name) => name !== me.name).map(beingReel),
    ...things.map(matterReel),
    ...(quoted === null ? [] : [quoted.startsWith('@') ? beingReel(quoted.slice(1)) : spaceReel(quoted)]),
  ]
  return [...new Set(reels)].filter((reel) => reel !== beingReel(me.name)).sort()
}

type FaceView = Face['views'][number]
type UnseenView = { readonly see: string; readonly reason: string }

/** Runs the see-resolvers of a moment. One that fails is left out, and why. */
async function viewsOf(
  seer: Seer,
  place: SpaceRow | null,
  registry: Resolvers,
  { specs, forModel, lastSealed = null }: Pick<FaceInputs, 'specs' | 'forModel' | 'lastSealed'>,
  onFault: FaultListener,
): Promise<{ readonly views: readonly FaceView[]; readonly unseen: readonly UnseenView[] }> {
  const { me, surface } = seer
  const views: FaceView[] = []
  const unseen: UnseenView[] = []
  const leaveOut = (name: string, error: unknown): void => {
    unseen.push({ see: name, reason: whyUnresolved(error) })
    onFault(`see ${name}`, error)
  }
  const sights = seenWorld(seer)
  for (const [shown, { name, found }] of resolversFor(registry, specs, forModel === true)) {
    try {
      const { key, resolve } = found()
      const world = isOfExtension(key) ? sights : seer.world
      seer.world.takeOutside() // of others before
      const view = await resolve({ me, world, place, surface, lastSealed })
      if (isOfExtension(key)) guardJson(view, CONTENT_BOUNDS)
      if (view !== null)
        views.push({ name: shown, view, ...(seer.world.takeOutside() ? { outside: true } : {}) })
    } catch (error) {
      leaveOut(name, error)
    }
  }
  return { views, unseen }
}

interface NameFinder {
  readonly name: string
  /** @throws {UnresolvedEntryError} when there is none, or several */
  readonly found: () => { readonly key: string; readonly resolve: SeeResolver }
}

/**
 * The see-resolvers of a moment by the name under which their views stand: the last part, and the whole name
 * of a namesake.
 */
function resolversFor(
  { see }: Resolvers,
  specs: readonly RoleSpec[],
  forModel: boolean,
): ReadonlyMap<string, NameFinder> {
  const shown = new Map<string, NameFinder & { readonly key: string }>()
  const add = (name: string, of: string | null): void => {
    const found = () => seeResolver(see, name, of)
    const key = resolverKey(see, name, of) ?? name
    if ([...shown.values()].some((other) => other.key === key)) return
    const short = name.slice(name.indexOf(':') + 1)
    const namesake = shown.get(short)
    const isFree = namesake === undefined || (isOfExtension(key) && !isOfExtension(namesake.key))
    shown.set(isFree ? short : key, { name, key, found })
  }
  if (forModel && specs[0]?.views !== 'only') for (const name of DEFAULT_VIEWS) add(name, null)
  for (const { name, see: named } of specs) {
    const of = name.includes(':') ? name.slice(0, name.indexOf(':')) : null
    for (const view of named) add(view, of)
  }
  return shown
}

/**
 * Views of the substrate ask of each thing whether it may be shown; those of extensions, whose names have a
 * prefix, get no other.
 */
const isOfExtension = (key: string): boolean => key.includes(':')

/**
 * Finds a see-resolver. A name without a prefix stands for that of the role's own extension, else for one
 * that is built in, else for the only resolver of that name in any extension.
 */
function seeResolver(
  see: Resolvers['see'],
  name: string,
  of: string | null,
): { key: string; resolve: SeeResolver } {
  const key = resolverKey(see, name, of)
  const resolve = key === null ? undefined : see.get(key)
  if (key !== null && resolve !== undefined) return { key, resolve }
  const found = namesakes(see, name)
  throw new UnresolvedEntryError(
    found.length > 1
      ? `several see-resolvers are called so: ${found.sort().join(', ')}`
      : 'no such see-resolver is registered',
  )
}

function resolverKey(see: Resolvers['see'], name: string, of: string | null): string | null {
  const own = of === null ? null : `${of}:${name}`
  if (own !== null && see.has(own)) return own
  if (see.has(name)) return name
  const [only = null, ...others] = namesakes(see, name)
  return others.length > 0 ? null : only
}

const namesakes = (see: Resolvers['see'], name: string): string[] =>
  name.includes(':') ? [] : [...see.keys()].filter((key) => key.endsWith(`:${name}`))
