import {
  asJson,
  type BeingName,
  beingReel,
  COGNITIONS,
  type Cognition,
  type FactDraft,
  isJsonObject,
  type Json,
  type JsonObject,
  LIMITS,
  parseSpacePath,
  parseStance,
  quote,
  ROOT_SPACE,
  type RoleName,
  requireBeingName,
  requireRoleName,
  type SpacePath,
  spaceReel,
  stanceOf,
  TreeosError,
  unknownBeing,
} from '@treeos/core'
import { parseRole, requireFlow, textPattern } from '@treeos/roles'
import type { DecidedOperation, DecideInput } from '../extend/extension.ts'
import { CITIZEN, DEFAULT_ROLE } from '../extend/substrate.ts'
import { requireNotEnded } from '../gates/moment-guards.ts'
import { type Reach, requireAssignable, requireSmallProgram, rolesNamed } from '../gates/reach.ts'
import { requireAnswer } from '../gates/refusal.ts'
import { answerOf, ruleGate } from '../gates/rule-gate.ts'
import { isAncestor } from '../gates/standings.ts'
import type { WorldReader } from '../read/reader.ts'
import { standardBudget, tightest } from '../rows/budgets.ts'
import { firstBeyond } from '../rows/lists.ts'
import type { BeingRow } from '../rows/rows.ts'
import { SCHEDULES } from '../rows/schedules.ts'
import {
  type ArgumentForms,
  FLAG,
  FLOW,
  FLOW_RIGHT,
  needed,
  OBJECT,
  ofText,
  oneOf,
  optional,
  TEXT,
} from './argument-forms.ts'
import type { Arguments } from './arguments.ts'
import { defineBuiltIn } from './define-built-in.ts'
import {
  connectionArgument,
  LLM,
  modelArguments,
  modelSettingsIn,
  requireOwnConnection,
} from './model-connection.ts'
import { schedulesArgument, schedulesIn } from './schedules.ts'
import { requireSightOfPlace } from './sight-of-place.ts'

/**
 * Arguments of a birth that an operation of an extension carries out; a being that makes a child itself has
 * none of them.
 */
const CARRIED: ArgumentForms = { ...modelArguments, schedules: schedulesArgument }

/** A ceiling holds literals and patterns only. What a relationship means may change; a bound may not. */
export const ceilingArgument = optional(OBJECT, 'can* lists that no stack of it may exceed', {
  right: 'an object of can* lists, with literals and patterns',
  parse: (ceiling) => (isJsonObject(ceiling) ? parseCeiling(ceiling) : null),
})

const birth = defineBuiltIn({
  name: 'birth',
  description: 'Mints a child of the actor.',
  targets: ['being'],
  allow: ['self'],
  takes: {
    name: needed(TEXT, 'the new name, unique for ever', { parse: requireBeingName }),
    cognition: needed(oneOf(COGNITIONS), 'llm, human or scripted'),
    script: optional(TEXT, 'for scripted: the script that decides'),
    role: optional(
      TEXT,
      `default role; when absent ${CITIZEN} for the child of a person, else ${DEFAULT_ROLE}`,
      { parse: ofText(requireRoleName) },
    ),
    roleFlow: optional(FLOW, 'clauses', { right: FLOW_RIGHT, parse: requireFlow }),
    home: optional(TEXT, 'path of its home; the home of its maker when absent', {
      parse: ofText(parseSpacePath),
    }),
    ceiling: ceilingArgument,
    connection: connectionArgument,
  },
  carried: CARRIED,
  async decide(
    { actor, cognition, world, reach, known, sees, fromOutside },
    given,
  ): Promise<DecidedOperation> {
    const name = requireBeingName(given.value('name'))
    const { kind, script, settings } = mindIn(given, { actor, cognition, known })
    const schedules = schedulesIn(given)
    const roleFlow = given.value('roleFlow')
    const flow = roleFlow === undefined ? null : requireFlow(roleFlow)
    const role = given.optionalText('role')
    const defaultRole =
      role === null
        ? await roleAtBirth(world, { actor, cognition, reach: await reach() })
        : requireRoleName(role)
    const home = given.optionalText('home')
    const homePath = home === null ? actor.home : parseSpacePath(home)
    const qualities: JsonObject = {
      ...(flow === null ? {} : { roleFlow: asJson(flow) }),
      ...(Object.keys(settings).length === 0 ? {} : { [LLM]: settings }),
      ...(Object.keys(schedules).length === 0 ? {} : { [SCHEDULES]: schedules }),
    }

    await requireFree(world, name)
    await requireHome({ world, actor, sees, fromOutside }, homePath)
    if (flow !== null) await requireSightOfPlace({ actor, sees }, { name, space: homePath }, flow)
    await requireBirths(world, actor)
    requireSmallProgram({ defaultRole, qualities })
    await requireAssignable(world, actor, rolesNamed({ defaultRole, qualities }), await reach())
    const ceiling = given.value('ceiling')
    const payload = {
      name,
      parent: actor.name,
      cognition: { kind, script },
      defaultRole,
      home: homePath,
      qualities,
      ceiling: ceiling === undefined ? null : parseCeiling(ceiling),
    }
    return {
      facts: [
        { reel: beingReel(name), kind: 'being:born', payload },
        { reel: beingReel(actor.name), kind: 'being:bore', payload: { being: name } },
        { reel: spaceReel(homePath), kind: 'space:entered', payload: { being: name, from: null } },
      ],
      result: {
        being: name,
        stance: stanceOf(name),
        parent: stanceOf(actor.name),
        cognition: kind,
        role: defaultRole,
      },
    }
  },
})

/** The mind of a child: the script of a scripted one, or the settings of the model of an llm. */
function mindIn(
  given: Arguments,
  { actor, cognition, known }: Pick<DecideInput, 'actor' | 'cognition' | 'known'>,
): { kind: Cognition; script: string | null; settings: JsonObject } {
  const kind = given.oneOf('cognition', COGNITIONS)
  const script = given.optionalText('script')
  if (kind === 'scripted' && (script === null || !known.scripts.includes(script)))
    throw given.fault('script', script ?? undefined, `one of ${[...known.scripts].sort().join(', ')}`)
  if (kind !== 'scripted' && script !== null)
    throw given.fault('script', script, 'nothing: only a scripted being has a script')
  const connection = given.optionalText('connection')
  if (connection !== null && kind !== 'llm')
    throw given.fault('connection', connection, 'nothing: only an llm being has a model')
  requireOwnConnection(connection, { actor, cognition })
  return { kind, script, settings: kind === 'llm' ? modelSettingsIn(given) : {} }
}

async function requireFree(world: WorldReader, name: BeingName): Promise<void> {
  if ((await world.being(name)) !== null)
    throw new TreeosError(
      'RESOURCE_CONFLICT',
      `the name ${JSON.stringify(name)} is taken in this reality, for ever`,
    )
}

/**
 * The default role when birth names none: `citizen` if the maker is a person whose reach covers that role,
 * else `resident`.
 */
async function roleAtBirth(
  world: WorldReader,
  { actor, cognition, reach }: { actor: BeingRow; cognition: Cognition; reach: Reach },
): Promise<RoleName> {
  const citizen = cognition === 'human' ? await world.role(CITIZEN) : null
  if (citizen === null) return DEFAULT_ROLE
  const spec = await world.spec(citizen.digest)
  return firstBeyond(spec, reach, actor.home) === null ? CITIZEN : DEFAULT_ROLE
}

/**
 * How many children a being may make: the least that its own budget and those of its makers say. A being
 * without a budget of its own may have as many offspring as the standard budget says, those of its offspring
 * counted, so that a line of beings makes no more than its first one might. A person has no standard budget.
 * And it may not have more makers than each gate reads.
 */
async function requireBirths(world: WorldReader, actor: BeingRow): Promise<void> {
  const makers = await world.lineage(actor.name)
  await requireFewBirths(world, actor, makers)
  if (makers.length >= LINEAGE_MAX)
    throw new TreeosError(
      'FORBIDDEN',
      `${stanceOf(actor.name)} is ${LINEAGE_MAX} births from the operator: its children could not be bounded`,
    )
}

async function requireFewBirths(
  world: WorldReader,
  actor: BeingRow,
  makers: readonly BeingRow[],
): Promise<void> {
  const { max, of } = tightest([actor, ...makers], 'births', Number.POSITIVE_INFINITY)
  if (of !== null) {
    const born = (await world.children(actor.name)).length
    if (born >= max)
      throw new TreeosError(
        'RATE_LIMITED',
        `${stanceOf(actor.name)} has made ${born} beings, and the budget of ${stanceOf(of)} allows ${max}; set-budget on it changes that`,
      )
  }
  const offspring = new Set<BeingName>()
  for (const { name, cognition, budget } of [actor, ...makers]) {
    if (cognition.kind === 'human') return // who is above lends nothing to its lineage
    if (budget !== undefined) continue
    const { births } = standardBudget(await world.space(ROOT_SPACE), cognition.kind)
    if (births === undefined) continue
    await addOffspring(world, name, offspring, births)
    if (offspring.size < births) continue
    throw new TreeosError(
      'RATE_LIMITED',
      `${stanceOf(name)} and its offspring have made ${births} beings, and the standard budget (births) allows no more; set-budget on ${stanceOf(name)} changes that`,
    )
  }
}

/**
 * Adds the children of a being, children's children and so on, until there are so many. Those that are there
 * came with their own offspring, from a being further down the line: they are not walked again.
 */
async function addOffspring(
  world: WorldReader,
  being: BeingName,
  offspring: Set<BeingName>,
  count: number,
): Promise<void> {
  const parents = [being]
  for (const parent of parents) {
    if (offspring.size >= count) return
    const added = (await world.children(parent)).filter((child) => !offspring.has(child))
    for (const child of added) offspring.add(child)
    parents.push(...added)
  }
}

/** Every maker's ceiling counts, so a line of births may not be longer than each gate reads. */
const LINEAGE_MAX = 63

/**
 * A home must be a space that the maker can see, since a being sees its home, and one that the maker may
 * enter.
 */
async function requireHome(
  { world, actor, sees, fromOutside }: Pick<DecideInput, 'world' | 'actor' | 'sees' | 'fromOutside'>,
  home: SpacePath,
): Promise<void> {
  if ((await world.space(home)) === null)
    throw new TreeosError('SPACE_NOT_FOUND', `space ${home} does not exist`)
  if (home !== actor.home && !(await sees(home)))
    throw new TreeosError('FORBIDDEN', `home ${home} is beyond what ${stanceOf(actor.name)} can see`)
  await requireEntry({ world, actor, fromOutside }, home)
}

/**
 * Who is born in a place enters it, also where that is the home of its maker.
 * @throws {TreeosError} FORBIDDEN by a rule about moving there
 */
export async function requireEntry(
  { world, actor, fromOutside }: Pick<DecideInput, 'world' | 'actor' | 'fromOutside'>,
  space: SpacePath,
): Promise<void> {
  const target = { being: null, space }
  const question = { actor, verb: 'do', key: 'move', target, fallback: ['anyone'], fromOutside } as const
  requireAnswer(answerOf(await ruleGate(world, question), question))
}

/** @throws {TreeosError} INVALID_INPUT */
export function parseCeiling(ceiling: Json): JsonObject {
  const { canSee, canDo, canSummon, canBe } = parseRole({
    ...(ceiling as JsonObject),
    name: 'ceiling',
    prompt: '',
  })
  const lists = { canSee, canDo, canSummon, canBe }
  for (const entry of Object.values(lists).flat()) {
    if (typeof entry !== 'string' && textPattern(entry) === null)
      throw new TreeosError(
        'INVALID_INPUT',
        `ceiling is ${quote(asJson(entry))}; it takes literals and patterns`,
      )
  }
  return asJson(lists)
}

const connect = defineBuiltIn({
  name: 'connect',
  description:
    'Takes a lease on a descendant: until it is released, a person drives it and its own mind rests.',
  targets: ['being'],
  allow: ['self'],
  takes: {
    being: needed(TEXT, 'whom to inhabit: a child, or a child of one, and so on', {
      parse: ofText(parseStance),
    }),
    own: optional(FLAG, 'true: it acts by its own reach alone; else by its driver’s as well'),
  },
  async decide({ actor, driver, cognition, world }, given): Promise<DecidedOperation> {
    const own = given.flag('own', false)
    const child = await requireGivenBeing(world, given)
    requireNotEnded(child)
    if (cognition !== 'human')
      throw new TreeosError('FORBIDDEN', `only a person inhabits: ${stanceOf(actor.name)} has no hands`)
    if (!(await isAncestor(world, actor.name, child.name))) {
      throw new TreeosError(
        'FORBIDDEN',
        `${stanceOf(child.name)} does not descend from ${stanceOf(actor.name)}: only one's own offspring is inhabited`,
      )
    }
    if (child.inhabited?.by != null) {
      throw new TreeosError(
        'RESOURCE_CONFLICT',
        `${stanceOf(child.name)} is inhabited by ${stanceOf(child.inhabited.by)} until that one releases it, or is silent for ${LIMITS.leaseSeconds} s`,
      )
    }
    const epoch = (child.inhabited?.epoch ?? 0) + 1
    const under = driver === null ? null : (actor.inhabited?.epoch ?? null)
    return {
      facts: [
        {
          reel: beingReel(child.name),
          kind: 'being:inhabited',
          payload: { by: actor.name, epoch, under, ...(own ? { own } : {}) },
        },
      ],
      result: { being: child.name, driver: actor.name, epoch },
    }
  },
})

const release = defineBuiltIn({
  name: 'release',
  description: 'Ends a lease: the being goes on by its own mind.',
  targets: ['being'],
  allow: ['self'],
  takes: {
    being: optional(TEXT, 'whom to release; the actor itself when left out', { parse: ofText(parseStance) }),
  },
  async decide({ actor, world }, given): Promise<DecidedOperation> {
    const child = given.value('being') === undefined ? actor : await requireGivenBeing(world, given)
    const { by = null, epoch = 0 } = child.inhabited ?? {}
    if (by === null) throw new TreeosError('RESOURCE_CONFLICT', `nobody inhabits ${stanceOf(child.name)}`)
    const may = actor.name === child.name || actor.name === by || (await isAncestor(world, actor.name, by))
    if (!may) {
      throw new TreeosError(
        'FORBIDDEN',
        `${stanceOf(child.name)} is inhabited by ${stanceOf(by)}: it, its makers or that being release it`,
      )
    }
    return {
      facts: [releasedFact(child.name, { by, epoch }, 'released')],
      result: { being: child.name, driver: by, epoch },
    }
  },
})

async function requireGivenBeing(world: WorldReader, given: Arguments): Promise<BeingRow> {
  const name = parseStance(given.text('being'))
  const being = await world.being(name)
  if (being === null) throw unknownBeing(name)
  return being
}

/** The fact that ends a lease, on the reel of the driven being. */
export function releasedFact(
  being: BeingName,
  { by, epoch }: { readonly by: BeingName; readonly epoch: number },
  why: 'released' | 'lapsed',
): FactDraft {
  return { reel: beingReel(being), kind: 'being:released', payload: { by, epoch, why } }
}

export const identityOperations = [birth, connect, release] as const
