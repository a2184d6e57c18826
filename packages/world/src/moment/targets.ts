import { type BeingName, ROOT_SPACE, type SpacePath, stanceOf, TreeosError } from '@treeos/core'
import type { Operation } from '../extend/extension.ts'
import { type Ceiling, ceilingsOf, listGate } from '../gates/list-gate.ts'
import { isWithinReach } from '../gates/rule-gate.ts'
import { maySee, type Seer } from '../gates/sight.ts'
import type { Targets, TargetsByVerb } from '../read/face.ts'
import { firstOf, type Soon } from '../read/soon.ts'
import { isRoot, type OperationTarget, resolve } from '../read/target.ts'
import type { ConcreteEntry } from '../rows/lists.ts'
import { beingKey, matterKey, spaceKey } from '../rows/rows.ts'

/** Most addresses that are listed for one verb. Beyond it a tool says in words what its target may be. */
const TARGETS_MAX = 32
/** Most addresses that are asked about for `do`, where each may be the target of several operations. */
const CANDIDATES_MAX = 96

const UNLISTED: Targets = { isWhole: false, of: [] }

/** Where a being is, as far as it sees it. */
interface BeingSurroundings {
  /** false: it may not see its own place */
  readonly seesPlace: boolean
  /** the beings in the place; empty where it may not see it */
  readonly occupants: readonly BeingName[]
  readonly asker: BeingName | null
}

/**
 * The addresses that each verb of a being can be called with now: both gates are asked about each of them, as
 * the call itself would ask. So a tool can name them, and a model need not guess. They are part of the face,
 * since rules may read any row.
 */
export async function targetsFor(
  seer: Seer,
  operations: ReadonlyMap<string, Operation>,
  around: BeingSurroundings,
): Promise<TargetsByVerb> {
  const ceilings = await ceilingsOf(seer.world, seer.me)
  const see = await listedTargets(seer, seer.surface.canSee, (target) => maySee(seer, target))
  return {
    do: await targetsOfDo(seer, ceilings, operations, around),
    see,
    summon: await targetsOfSummon(seer, ceilings, around.asker),
  }
}

/** A list that names everything by itself; a pattern stands for addresses that nobody counted. */
const isLiteral = (entries: readonly ConcreteEntry[]): entries is readonly string[] =>
  entries.every((entry) => typeof entry === 'string')

/** The addresses of a list that name something which the gates allow. */
async function listedTargets(
  seer: Seer,
  entries: readonly ConcreteEntry[],
  isAllowed: (target: OperationTarget, address: string) => Soon<boolean>,
): Promise<Targets> {
  if (!isLiteral(entries) || entries.length > TARGETS_MAX) return UNLISTED
  if (entries.some((address) => address.startsWith('thread:'))) return UNLISTED
  await seer.world.prefetch(entries.flatMap(addressSortKey))
  const of: string[] = []
  for (const address of entries) {
    const target = await livingAt(seer, address)
    if (target !== null && (await isAllowed(target, address))) of.push(address)
  }
  return { isWhole: true, of }
}

async function targetsOfSummon(
  seer: Seer,
  ceilings: readonly Ceiling[],
  asker: BeingName | null,
): Promise<Targets> {
  const { world, me, surface } = seer
  const found = await listedTargets(seer, surface.canSummon, async (target, key) => {
    if (target.kind !== 'being' || !listGate(surface, ceilings, 'canSummon', key).allowed) return false
    return isWithinReach(world, me, 'summon', { key, target, fallback: ['anyone'] })
  })
  const first = found.of.filter((target) => asker !== null && target === stanceOf(asker))
  return { ...found, of: [...new Set([...first, ...found.of])] }
}

async function targetsOfDo(
  seer: Seer,
  ceilings: readonly Ceiling[],
  operations: ReadonlyMap<string, Operation>,
  around: BeingSurroundings,
): Promise<Targets> {
  const { world, me, surface } = seer
  if (!isLiteral(surface.canDo)) return UNLISTED
  const held = surface.canDo.flatMap((name) => {
    const operation = operations.get(name)
    const isHeld = operation !== undefined && listGate(surface, ceilings, 'canDo', name).allowed
    return isHeld ? [operation] : []
  })
  const kinds = new Set(held.flatMap(({ targets }) => targets))
  if (kinds.has('thread')) return UNLISTED
  const candidates = await candidatesFor(seer, kinds, around)
  if (candidates.length > CANDIDATES_MAX) return UNLISTED
  await world.prefetch(candidates.flatMap(addressSortKey))
  const of: string[] = []
  for (const address of candidates) {
    if (of.length === TARGETS_MAX) return UNLISTED
    const found = livingAt(seer, address)
    const target = found instanceof Promise ? await found : found
    if (target === null) continue
    const action = firstOf(held, (operation) => mayBeDone(operation, target))
    if ((action instanceof Promise ? await action : action) !== undefined) of.push(address)
  }
  return { isWhole: true, of }

  function mayBeDone({ name, targets, allow }: Operation, target: OperationTarget): Soon<boolean> {
    return takes(targets, target) && isWithinReach(world, me, 'do', { key: name, target, fallback: allow })
  }
}

const takes = (targets: Operation['targets'], target: OperationTarget): boolean =>
  targets.includes(target.kind) || (isRoot(target) && targets.includes('reality'))

/**
 * What a being knows of: itself, its place, who and what is there, what it holds, and what its lists name.
 */
async function candidatesFor(
  { world, me, surface }: Seer,
  kinds: ReadonlySet<Operation['targets'][number]>,
  { seesPlace, occupants, asker }: BeingSurroundings,
): Promise<string[]> {
  const named = [...surface.canSee, ...surface.canSummon].filter((entry) => typeof entry === 'string')
  const beings = kinds.has('being')
    ? [me.name, ...(asker === null ? [] : [asker]), ...occupants].map(stanceOf)
    : []
  const spaces: SpacePath[] = kinds.has('space') ? [me.space, me.home] : []
  const things = kinds.has('matter')
    ? [
        ...(seesPlace ? await world.matters(me.space, CANDIDATES_MAX) : []),
        ...(await world.matters(stanceOf(me.name), CANDIDATES_MAX)),
      ].map((id) => matterKey(id))
    : []
  const reality = kinds.has('reality') ? [ROOT_SPACE] : []
  return [...new Set([...beings, ...spaces, ...things, ...named, ...reality])]
}

function addressSortKey(address: string): string[] {
  if (address.startsWith('@')) return [beingKey(address.slice(1))]
  if (address.startsWith('/')) return [spaceKey(address)]
  return address.startsWith('matter:') ? [address] : []
}

/** What is at an address; null where nothing is, and for a being that was ended. */
function livingAt(seer: Seer, address: string): Soon<OperationTarget | null> {
  const being = address.startsWith('@') ? seer.world.known(beingKey(address.slice(1))) : undefined
  if (being == null) return resolveLiving(seer, address)
  return being.ended === undefined ? { kind: 'being', being } : null
}

async function resolveLiving({ world, me }: Seer, address: string): Promise<OperationTarget | null> {
  try {
    const target = await resolve({ reader: world, me, thread: async () => null }, address)
    return target.kind === 'being' && target.being.ended !== undefined ? null : target
  } catch (error) {
    if (error instanceof TreeosError) return null
    throw error
  }
}
