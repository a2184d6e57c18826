import { asJson, type Json, type JsonObject, readPath, stanceOf } from '@treeos/core'
import {
  type BeingRow,
  DELEGATES,
  type SpaceRow,
  schedulesOf,
  storedSchedule,
  subscriptionsOf,
} from '@treeos/world'
import { inFile } from './ceilings.ts'
import { isSignalKept, objectIn, plainQualities, plainQualitiesOfSpace } from './kept-qualities.ts'
import { budgetOf, ceilingOf, type WorldRows } from './rows.ts'
import { type BeingInFile, pathsIn, type SpaceInFile, WORLD_FILE_VERSION, type WorldFile } from './shape.ts'

/**
 * A world without history. Makers, owners, accounts, leases, tokens, passkeys and overlays stay behind: who
 * plants the file becomes the maker of its beings and the owner of its spaces.
 * @param tools tool servers by name, as they may leave this machine
 */
export function exportWorld(rows: WorldRows, tools: Readonly<Record<string, JsonObject>> = {}): WorldFile {
  const living = [...rows.beings.values()].filter((being) => travels(being))
  const parts = {
    roles: Object.fromEntries([...rows.roles].map(([name, { name: _, ...spec }]) => [name, asJson(spec)])),
    signals: Object.fromEntries(
      [...rows.signals.values()]
        .filter(({ namespace }) => isSignalKept(namespace))
        .map(({ namespace, values, publishers = [] }) => [
          namespace,
          { values, ...listedField('publishers', living, publishers) },
        ]),
    ),
    spaces: Object.fromEntries(
      [...rows.spaces.values()].map((space) => [space.path, spaceIn(space, living)]),
    ),
    beings: Object.fromEntries(living.map((being) => [being.name, beingIn(rows, being)])),
  }
  const outside = pathsIn(parts)
    .filter((path) => rows.outside.has(path))
    .sort()
  return { treeos: WORLD_FILE_VERSION, ...parts, tools, outside }
}

/** The operator and the delegates are in every reality; what was ended never comes again. */
export const travels = ({ parent, name, ended }: BeingRow): boolean =>
  parent !== null && ended === undefined && !DELEGATES.some((delegate) => delegate === name)

/** Stances of those that travel, or that are in every reality. */
function listedField<N extends string>(field: N, living: readonly BeingRow[], names: readonly string[]) {
  const known = names.filter((name) => living.some((being) => being.name === name))
  return known.length === 0 ? {} : ({ [field]: known.map(stanceOf).sort() } as { [K in N]: string[] })
}

function spaceIn(
  { type, size, coord, qualities, contributors = [] }: SpaceRow,
  living: readonly BeingRow[],
): SpaceInFile {
  const plain = plainQualitiesOfSpace(qualities)
  const rules = objectIn(qualities, 'permissions')
  return {
    type,
    ...(size === undefined ? {} : { size }),
    ...(coord === undefined ? {} : { coord }),
    ...(isEmpty(plain) ? {} : { qualities: plain }),
    ...(isEmpty(rules) ? {} : { rules: rules as Record<string, JsonObject> }),
    ...listedField('contributors', living, contributors),
  }
}

function beingIn(rows: WorldRows, being: BeingRow): BeingInFile {
  const { cognition, defaultRole, home, qualities, paused } = being
  const connection = readPath(qualities, ['llm', 'connection'])
  const ceiling = ceilingOf(rows, being)
  const budget = budgetOf(rows, being)
  const plain = plainQualities(qualities)
  const schedules = Object.fromEntries(schedulesOf(being).map((one) => [one.name, storedSchedule(one)]))
  return {
    cognition: cognition.kind,
    ...(cognition.script === null ? {} : { script: cognition.script }),
    ...(defaultRole === null ? {} : { role: defaultRole }),
    home,
    ...(typeof connection === 'string' ? { connection } : {}),
    ...(ceiling === null ? {} : { ceiling: inFile(ceiling) }),
    ...(budget === null ? {} : { budget }),
    ...(paused === undefined ? {} : { paused: true as const }),
    ...(flowOf(being).length === 0 ? {} : { flow: flowOf(being) }),
    ...(isEmpty(plain) ? {} : { qualities: plain }),
    ...(isEmpty(schedules) ? {} : { schedules }),
    ...(isEmpty(subscriptionsInFile(being)) ? {} : { subscriptions: subscriptionsInFile(being) }),
  }
}

export const flowOf = ({ qualities: { roleFlow } }: BeingRow): readonly Json[] =>
  Array.isArray(roleFlow) ? roleFlow : []

/** Which changes of beings count follows from what the being may see, so it does not travel. */
export const subscriptionsInFile = (being: BeingRow): NonNullable<BeingInFile['subscriptions']> =>
  Object.fromEntries(
    subscriptionsOf(being).map(({ name, beings: _, equals, ...rest }) => [
      name,
      { ...rest, ...(equals === null ? {} : { equals: [...equals] }) },
    ]),
  )

const isEmpty = (value: object): boolean => Object.keys(value).length === 0
