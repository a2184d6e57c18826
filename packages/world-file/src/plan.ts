import {
  asJson,
  isJsonObject,
  isSameJson,
  type Json,
  type JsonObject,
  parentPath,
  parseCall,
  ROOT_SPACE,
  stanceOf,
  TreeosError,
  type VerbCall,
} from '@treeos/core'
import { parseRole, type RoleSpec, requireFlow, withFullNames } from '@treeos/roles'
import { type BeingRow, type CanLists, type SpaceRow, schedulesOf, storedSchedule } from '@treeos/world'
import { isWithin } from './ceilings.ts'
import { flowOf, subscriptionsInFile, travels } from './export.ts'
import { objectIn, plainQualities, plainQualitiesOfSpace } from './kept-qualities.ts'
import { ceilingOf, type WorldRows } from './rows.ts'
import type { BeingInFile, SpaceInFile, WorldFile } from './shape.ts'

/** One act that planting takes. */
export interface Step {
  /** what of the file it plants, as in `beings.guard.flow` */
  readonly path: string
  readonly call: VerbCall
  /** the file says that its words are from outside */
  readonly outside?: true
}

/** What the file says otherwise than what is there, and what no act changes. */
export interface Conflict {
  readonly path: string
  readonly here: Json
  readonly inFile: Json
}

export interface Plan {
  readonly steps: readonly Step[]
  readonly conflicts: readonly Conflict[]
}

/**
 * The acts that make a world what a file says, in an order in which none needs a later one: rules come last,
 * from the inside out, since they may bind the person who plants too. What the file does not name stays as it
 * is.
 */
export function planOf(file: WorldFile, rows: WorldRows): Plan {
  const beings = Object.entries(file.beings)
  const spaces = Object.entries(file.spaces).sort(([a], [b]) => depth(a) - depth(b) || (a < b ? -1 : 1))
  const conflicts = [
    ...spaces.flatMap(([path, space]) => conflictsOfSpace(path, space, rows.spaces.get(path))),
    ...beings.flatMap(([name, being]) => conflictsOfBeing(name, being, rows)),
  ]
  const steps = [
    ...rolesToSet(file, rows),
    ...spaces.flatMap(([path, space]) => spaceSteps(path, space, rows.spaces.get(path))),
    ...beings.flatMap(([name, being]) => lifeSteps(name, being, rows.beings.get(name))),
    ...spaces.flatMap(([path, space]) => contributorSteps(path, space, rows.spaces.get(path))),
    ...signalSteps(file, rows),
    ...beings.flatMap(([name, being]) => wakingSteps(name, being, rows.beings.get(name))),
    ...spaces.reverse().flatMap(([path, space]) => ruleSteps(path, space, rows.spaces.get(path))),
  ]
  return {
    steps: steps.map((step) => (isOutside(file, step) ? { ...step, outside: true } : step)),
    conflicts,
  }
}

/** Whether a step belongs to what the file marks. */
const isOutside = ({ outside }: WorldFile, { path }: Step): boolean =>
  outside.some((marked) => path === marked || path.startsWith(`${marked}.`))

const depth = (path: string): number => (path === ROOT_SPACE ? 0 : path.split('/').length - 1)

const doing = (path: string, target: string, operation: string, args: object): Step => ({
  path,
  call: { verb: 'do', target, operation, args: asJson(args) },
})

/** A step as the inbox takes it. @throws {TreeosError} INVALID_INPUT, PAYLOAD_TOO_LARGE */
export const requireStep = ({ call, ...step }: Step): Step => ({ ...step, call: parseCall(call) })

function rolesToSet({ roles }: WorldFile, rows: WorldRows): Step[] {
  return Object.entries(roles).flatMap(([name, spec]) => {
    const there = rows.roles.get(name)
    const role = { ...spec, name }
    if (
      there !== undefined &&
      isSameJson(
        asJson(there),
        asKept(role, (given) => namedAs(there, given)),
      )
    )
      return []
    return [doing(`roles.${name}`, ROOT_SPACE, 'set-role', { role })]
  })
}

/** A role of the file with the names of operations that the kept role has: `set-role` adds the prefix of an extension. */
function namedAs({ canDo, canBe }: RoleSpec, given: Json): RoleSpec {
  const texts = (list: RoleSpec['canDo']) => list.filter((entry) => typeof entry === 'string')
  return withFullNames(parseRole(given), { canDo: texts(canDo), canBe: texts(canBe) }).spec
}

/**
 * A value as its act keeps it, with what the file may leave out. One that cannot be read is left as it is:
 * its act is refused.
 */
function asKept(value: Json, read: (value: Json) => object): Json {
  try {
    return read(value) as unknown as Json
  } catch (error) {
    if (error instanceof TreeosError) return value
    throw error
  }
}

function conflictsOfSpace(path: string, space: SpaceInFile, there: SpaceRow | undefined): Conflict[] {
  if (there === undefined) return []
  const at = (field: string) => `spaces.${path}.${field}`
  return [
    ...differing(at('type'), there.type, space.type),
    ...differing(at('coord'), asJson(there.coord ?? null), asJson(space.coord ?? there.coord ?? null)),
  ]
}

const differing = (path: string, here: Json, inFile: Json): Conflict[] =>
  isSameJson(here, inFile) ? [] : [{ path, here, inFile }]

function spaceSteps(path: string, space: SpaceInFile, there: SpaceRow | undefined): Step[] {
  const at = (field: string) => `spaces.${path}${field}`
  const { type, size, coord } = space
  const extent = { ...(size && { size }), ...(coord && { coord }) }
  const made =
    there === undefined
      ? [doing(at(''), parentPath(path) ?? ROOT_SPACE, 'create-space', { path, type, ...extent })]
      : size === undefined || isSameJson(asJson(there.size ?? null), asJson(size))
        ? []
        : [doing(at('.size'), path, 'set-size', { size })]
  const known = plainQualitiesOfSpace(there?.qualities ?? {})
  return [...made, ...qualitySteps(at('.qualities'), path, 'set-space', space.qualities ?? {}, known)]
}

/** One act for each namespace. Keys that the file does not name stay. */
function qualitySteps(
  path: string,
  target: string,
  operation: string,
  wanted: Readonly<Record<string, Json>>,
  there: JsonObject,
): Step[] {
  return Object.entries(wanted).flatMap(([namespace, value]) => {
    const change = changeOf(value, there[namespace])
    if (change === undefined) return []
    return [doing(`${path}.${namespace}`, target, operation, { field: namespace, value: change })]
  })
}

/** What of a value is not there yet, where null is what is not there; undefined when all of it is. */
function changeOf(wanted: Json, there: Json | undefined): Json | undefined {
  if (isSameJson(wanted, there ?? null)) return undefined
  if (!isJsonObject(wanted) || Object.keys(wanted).length === 0)
    return isJsonObject(wanted) && isJsonObject(there) ? undefined : wanted
  const old = isJsonObject(there) ? there : {}
  const news = Object.entries(wanted).filter(
    ([key, value]) => !isSameJson((Object.hasOwn(old, key) ? old[key] : null) ?? null, value),
  )
  return news.length === 0 ? undefined : Object.fromEntries(news)
}

function conflictsOfBeing(name: string, being: BeingInFile, rows: WorldRows): Conflict[] {
  const there = rows.beings.get(name)
  if (there === undefined) return []
  const at = (field: string) => `beings.${name}${field === '' ? '' : `.${field}`}`
  if (!travels(there))
    return [
      {
        path: at(''),
        here: there.ended === undefined ? 'it belongs to every reality' : 'it was ended',
        inFile: 'a being',
      },
    ]
  const here = ceilingOf(rows, there)
  const wanted = (being.ceiling ?? null) as CanLists | null
  const isNarrow = isWithin(here, wanted, there.home)
  return [
    ...differing(at('cognition'), there.cognition.kind, being.cognition),
    ...differing(at('script'), there.cognition.script, being.script ?? null),
    ...differing(at('role'), there.defaultRole, being.role ?? there.defaultRole),
    ...differing(at('home'), there.home, being.home),
    ...(isNarrow ? [] : [{ path: at('ceiling'), here: asJson(here), inFile: asJson(wanted) }]),
  ]
}

const budgetKept = (budget: JsonObject): JsonObject => ({
  per: 'total',
  ...Object.fromEntries(Object.entries(budget).filter(([, value]) => value !== null)),
})

/** What makes a being: its birth, then its limits before anything that might wake it. */
function lifeSteps(name: string, being: BeingInFile, there: BeingRow | undefined): Step[] {
  const at = (field: string) => `beings.${name}${field}`
  const stance = stanceOf(name)
  const { cognition, script, role, home, connection, ceiling, flow, budget, paused } = being
  const given = { name, cognition, script, role, home, connection, ceiling, roleFlow: flow }
  const args = asJson(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)))
  const { revision: _, ...limits } = there?.budget ?? { revision: 0 }
  const born: Step[] =
    there === undefined ? [{ path: at(''), call: { verb: 'be', operation: 'birth', args } }] : []
  return [
    ...born,
    ...(paused === true && there?.paused === undefined
      ? [doing(at('.paused'), stance, 'pause-being', {})]
      : []),
    ...(budget === undefined || isSameJson(budgetKept(budget), asJson(limits))
      ? []
      : [doing(at('.budget'), stance, 'set-budget', budget)]),
    ...(there === undefined ? [] : changeSteps(name, being, there)),
    ...qualitySteps(
      at('.qualities'),
      stance,
      'set-being',
      being.qualities ?? {},
      plainQualities(there?.qualities ?? {}),
    ),
  ]
}

function changeSteps(name: string, { flow, connection }: BeingInFile, there: BeingRow): Step[] {
  const own = objectIn(there.qualities, 'llm').connection
  return [
    ...(flow === undefined || isSameJson(asKept(asJson(flow), requireFlow), asJson(flowOf(there)))
      ? []
      : [doing(`beings.${name}.flow`, stanceOf(name), 'set-roleflow', { flow })]),
    ...(connection === undefined || connection === own
      ? []
      : [
          doing(`beings.${name}.connection`, stanceOf(name), 'set-being', {
            field: 'llm.connection',
            value: connection,
          }),
        ]),
  ]
}

function contributorSteps(
  path: string,
  { contributors = [] }: SpaceInFile,
  there: SpaceRow | undefined,
): Step[] {
  const known = new Set((there?.contributors ?? []).map(stanceOf))
  return contributors
    .filter((being) => !known.has(being))
    .map((being) => doing(`spaces.${path}.contributors`, path, 'add-contributor', { being }))
}

function signalSteps({ signals }: WorldFile, rows: WorldRows): Step[] {
  return Object.entries(signals).flatMap(([namespace, { values, publishers = [] }]) => {
    const there = rows.signals.get(namespace)
    const news = changeOf(values, there?.values ?? {})
    const known = new Set((there?.publishers ?? []).map(stanceOf))
    return [
      ...Object.entries(isJsonObject(news) ? news : {}).map(([key, value]) =>
        doing(`signals.${namespace}.values.${key}`, ROOT_SPACE, 'set-world-signal', {
          namespace,
          key,
          value,
        }),
      ),
      ...publishers
        .filter((being) => !known.has(being))
        .map((being) =>
          doing(`signals.${namespace}.publishers`, ROOT_SPACE, 'grant-namespace', { namespace, being }),
        ),
    ]
  })
}

function wakingSteps(name: string, being: BeingInFile, there: BeingRow | undefined): Step[] {
  const subscribed = there === undefined ? {} : subscriptionsInFile(there)
  const scheduled = Object.fromEntries(
    (there === undefined ? [] : schedulesOf(there)).map((one) => [one.name, storedSchedule(one)]),
  )
  const stance = stanceOf(name)
  const news = <T extends object>(
    wanted: Readonly<Record<string, T>> = {},
    known: JsonObject,
    kept: (value: T) => object,
  ) => Object.entries(wanted).filter(([one, value]) => !isSameJson(known[one] ?? null, asJson(kept(value))))
  return [
    ...news(being.subscriptions, subscribed, subscriptionKept).map(([one, value]) =>
      doing(`beings.${name}.subscriptions.${one}`, stance, 'subscribe', { ...value, name: one }),
    ),
    ...news(being.schedules, scheduled, (value) => ({ priority: 'background', ...value })).map(
      ([one, value]) =>
        doing(`beings.${name}.schedules.${one}`, stance, 'set-schedule', { ...value, name: one }),
    ),
  ]
}

const subscriptionKept = ({
  equals,
  ...rest
}: NonNullable<BeingInFile['subscriptions']>[string]): object => ({
  ...{ below: false, priority: 'background', coalesceSeconds: 0, ...rest },
  ...(equals === undefined ? {} : { equals: Array.isArray(equals) ? equals : [equals] }),
})

function ruleSteps(path: string, { rules = {} }: SpaceInFile, there: SpaceRow | undefined): Step[] {
  const known = objectIn(there?.qualities ?? {}, 'permissions')
  return Object.entries(rules).flatMap(([verb, wanted]) => {
    const change = changeOf(wanted, known[verb])
    if (change === undefined) return []
    return [
      doing(`spaces.${path}.rules.${verb}`, path, 'set-space', {
        field: `permissions.${verb}`,
        value: change,
      }),
    ]
  })
}
