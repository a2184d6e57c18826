import { type BeingName, ROOT_SPACE, type SpacePath, stanceOf } from '@treeos/core'
import type { Entry } from '@treeos/roles'
import type { WorldReader } from '../read/reader.ts'
import { type OperationTarget, targetName } from '../read/target.ts'
import { canonicalTarget, coversEntry, type Surface } from '../rows/lists.ts'
import { type BeingRow, beingKey, type MatterRow, type SpaceRow } from '../rows/rows.ts'
import { EVERYWHERE, type Subscription, seesScope } from '../rows/subscriptions.ts'
import { askListGate } from './list-gate.ts'
import { askPart } from './moment-guards.ts'
import { hasRules } from './placed-rules.ts'
import { type Reach, reachOf } from './reach.ts'
import { type GateAnswer, requireAnswer } from './refusal.ts'
import { askRuleGate } from './rule-gate.ts'
import { isAncestor } from './standings.ts'

/** Who looks, and by which lists. */
export interface Seer {
  readonly world: WorldReader
  readonly me: BeingRow
  /** the lists of its moment */
  readonly surface: Surface
  /**
   * for what it decides beyond its moment: all that it, and a maker that drives it, may ever see; left out
   * for what it is shown now
   */
  readonly reach?: () => Promise<Reach>
}

/**
 * Whether a being may see something now: the one question for every way on which content travels. Both gates
 * answer it, the lists cut to the ceilings and the rules of the spaces. SEE, views, faces, flows, wakes,
 * moves and subscriptions all ask here. A being may always see itself.
 * @returns the entry and the rule that allow it, or the refusal
 * @see docs/security.md, "One sight"
 */
async function askSight(seer: Seer, target: OperationTarget): Promise<GateAnswer<readonly [string, string]>> {
  const { world, me } = seer
  if (isSelf(me, targetName(target))) return { allowed: true, by: [SELF, SELF] }
  const listed = await askLists(seer, targetName(target))
  if (!listed.allowed) return listed
  const part = target.kind === 'thread' ? askPart(me, target.thread) : null
  if (part?.allowed === false) return part
  const granted = await askRules(world, me, target)
  return granted.allowed ? { allowed: true, by: [listed.by, granted.by] } : granted
}

const SELF = 'see: self'

/** Whether an address is the being's own. */
export const isSelf = (me: BeingRow, address: string): boolean => address === stanceOf(me.name)

async function askLists({ world, me, surface, reach }: Seer, target: string): Promise<GateAnswer> {
  const listed = await askListGate({ reader: world, me, surface }, 'see', target)
  if (listed.allowed || reach === undefined) return listed
  const isReached = coversEntry('canSee', (await reach()).canSee, target, me.home)
  return isReached ? { allowed: true, by: `reach: ${target}` } : listed
}

const askRules = async (world: WorldReader, me: BeingRow, target: OperationTarget): Promise<GateAnswer> =>
  askRuleGate(world, me, 'see', { key: targetName(target), target, fallback: ['anyone'] })

/** @returns the entry and the rule that allow it @throws {TreeosError} FORBIDDEN */
export const requireSight = async (seer: Seer, target: OperationTarget): Promise<readonly [string, string]> =>
  requireAnswer(await askSight(seer, target))

/** The same as a yes or a no. */
export const maySee = async (seer: Seer, target: OperationTarget): Promise<boolean> =>
  (await askSight(seer, target)).allowed

/** @returns false also for a space that is not there */
export async function maySeeSpace(seer: Seer, path: SpacePath): Promise<boolean> {
  const space = await seer.world.space(path)
  return space !== null && maySee(seer, { kind: 'space', space })
}

/**
 * The space where the being is; null when the being may not see it. Then nobody and nothing in it may be
 * shown either.
 */
export async function seenPlace(seer: Seer): Promise<SpaceRow | null> {
  const space = await seer.world.space(seer.me.space)
  return space !== null && (await maySee(seer, { kind: 'space', space })) ? space : null
}

/**
 * Whether a being may see that another is in a place that it sees, where that is and what it wears: the lists
 * hold the place.
 */
export const mayRegard = async ({ world, me }: Seer, being: BeingRow): Promise<boolean> =>
  (await askRules(world, me, { kind: 'being', being })).allowed

/**
 * Those of the beings in a place that it sees whom it may regard. Where no rule says who may see, nobody is
 * kept from anybody.
 */
export async function listRegarded(
  seer: Seer,
  place: SpaceRow,
  names: readonly BeingName[],
): Promise<ReadonlyMap<BeingName, BeingRow>> {
  const isOpen = !(await hasRules(seer.world, 'see', place.path))
  const regarded = new Map<BeingName, BeingRow>()
  for (const name of names) {
    const being = seer.world.known(beingKey(name)) ?? (await seer.world.being(name))
    if (being !== null && (isOpen || (await mayRegard(seer, being)))) regarded.set(name, being)
  }
  return regarded
}

/** Whether a being may see the content of a thing: it owns it, holds it, or may see it. */
export async function mayRead(seer: Seer, matter: MatterRow): Promise<boolean> {
  const { me } = seer
  if (matter.owner === me.name || matter.place === stanceOf(me.name)) return true
  return maySee(seer, { kind: 'matter', matter })
}

/**
 * Whether the flow of a being may read the qualities of the place where it is: the rules of the place decide.
 * Where no maker set the flow, its reach counts as well, since it could else find out what it may not see by
 * the roles that it wears. (Its lists are not known yet: they depend on what it wears.) Its home is in its
 * reach, as it is for a move, since its maker could see it.
 * @param isTried the flow is a dry run, which anybody may set who may set a quality of the being
 */
export async function readsPlace(world: WorldReader, me: BeingRow, isTried = false): Promise<boolean> {
  const space = await world.space(me.space)
  if (space === null || !(await isOpenTo(world, me, space))) return false
  return me.space === me.home || (!isTried && (await isFlowOfMaker(world, me))) || reachesPlace(world, me)
}

const isFlowOfMaker = async (world: WorldReader, { name, flowBy = name }: BeingRow): Promise<boolean> =>
  flowBy !== name && isAncestor(world, flowBy, name)

async function reachesPlace(world: WorldReader, me: BeingRow, path = me.space): Promise<boolean> {
  const { canSee } = await reachOf(world, me)
  const entries = [canonicalTarget('canSee', path, me.home), ...(path === me.space ? [HERE] : [])]
  return entries.some((entry) => coversEntry('canSee', canSee, entry, me.home))
}

const HERE: Entry = { rel: 'here' }

/** Whether a being that looks into a past may see what was in a place: by the rules of now, and its reach. */
export async function mayLookInto(world: WorldReader, me: BeingRow, path: SpacePath): Promise<boolean> {
  const space = await world.space(path)
  if (space === null || !(await isOpenTo(world, me, space))) return false
  return path === me.home || reachesPlace(world, me, path)
}

/** What keeps the flow of a being from a place now, in words; null for nothing. */
export async function whyPlaceHidden(
  world: WorldReader,
  me: BeingRow,
  path: SpacePath,
): Promise<string | null> {
  const there = { ...me, space: path }
  const space = await world.space(path)
  if (space === null || (await readsPlace(world, there))) return null
  const answer = await askRules(world, there, { kind: 'space', space })
  return answer.allowed ? `no role of ${stanceOf(me.name)} may see ${path}` : answer.refusal().message
}

/** Whether no rule keeps a space from a being, where an entry of its lists names the beings there. */
export const isOpenTo = async (world: WorldReader, me: BeingRow, space: SpaceRow): Promise<boolean> =>
  (await askRules(world, me, { kind: 'space', space })).allowed

/**
 * Whether a being may be told of changes in a scope: of the spaces, and of the beings in them. Rules of
 * spaces inside are asked again at each change, by the moment that it opens.
 * @param canSee its reach
 */
export async function watchesScope(
  world: WorldReader,
  me: BeingRow,
  { scope, below }: Pick<Subscription, 'scope' | 'below'>,
  { canSee }: Pick<Reach, 'canSee'>,
): Promise<{ readonly spaces: boolean; readonly beings: boolean }> {
  const listed = seesScope(canSee, { scope, below }, me.home)
  const space = await world.space(scope === EVERYWHERE ? ROOT_SPACE : scope)
  if (space === null || (await isOpenTo(world, me, space))) return listed
  return { spaces: false, beings: false }
}
