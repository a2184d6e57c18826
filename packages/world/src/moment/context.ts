import {
  type Caller,
  type Cognition,
  type JsonObject,
  type Orientation,
  type RoleName,
  type SpacePath,
  spaceName,
  type Verb,
} from '@treeos/core'
import { flowPaths, type OpenContext, type Program, sliceContext, worldNamespaces } from '@treeos/roles'
import { rolesNamed } from '../gates/reach.ts'
import { readsPlace } from '../gates/sight.ts'
import type { WorldReader } from '../read/reader.ts'
import { withoutShadow } from '../rows/qualities.ts'
import { type BeingRow, beingKey, type KeyPath, roleKey, spaceKey, worldKey } from '../rows/rows.ts'
import type { Quotes } from './wake-quotes.ts'

/** The time at which a moment opened. It is recorded for replay, since time-zone tables change. */
export interface OpenTime {
  /** ms since 1970 UTC by the clock of Postgres, never before the being's last sealed act */
  readonly openedAt: number
  /** IANA name */
  readonly zone: string
  /** 0–23 in that zone */
  readonly hour: number
  /** 0 is Sunday, in that zone */
  readonly dayOfWeek: number
  /** minutes that the zone is ahead of UTC */
  readonly offset: number
}

/** The last moment with an act; null before the first. */
export interface LastSealed {
  readonly sealedAt: number
  readonly primary: RoleName
}

export interface MomentInputs {
  readonly me: BeingRow
  /** the cognition that the flow is evaluated for: human while the being is driven, else its own */
  readonly cognition: Cognition
  readonly verb: Verb
  /** why it began, in one word */
  readonly kind: string
  readonly caller: Caller | null
  readonly time: OpenTime
  readonly lastSealed: LastSealed | null
  /** a role that the sender asked for; it is looked up together with the flow's roles */
  readonly asked: RoleName | null
  /** what a role's `triggerOn` must hold; null for a wake that no role may refuse */
  readonly trigger: string | null
  /** the thread of the wake was cut */
  readonly cut?: boolean
  /** what its wake quotes of the world; null or left out when that is nothing */
  readonly quotes?: Quotes | null
  /** the being was ended */
  readonly ended?: boolean
  /** its wake is marked: its words come from outside */
  readonly outside?: boolean
  /**
   * what its wake says, or what holds for every moment of its kind; the primary role decides when left out
   */
  readonly orientation?: Orientation | undefined
  /**
   * whether the flow may read the qualities of the place, for who has not all that the gates read of it; they
   * are asked when left out
   */
  readonly readsPlace?: typeof readsPlace
}

export interface OpenedContext {
  readonly program: Program
  /** only the paths that the flow reads, small enough for workflow history */
  readonly context: JsonObject
  /** the flow reads the qualities of the place, which the being may not see now */
  readonly isPlaceHidden: boolean
  /** what was read so far, or the wake, holds words from outside */
  readonly outside: boolean
  /** what it does depends on whether it holds such words */
  readonly restsOnOrigin: boolean
}

/**
 * Whether a moment holds words from outside: of its wake, or of what it has read. A person who decides has
 * read it and writes words of its own, so then only the wake counts.
 */
export const holdsOutside = (
  reader: Pick<WorldReader, 'hasOutside'>,
  { outside = false, cognition }: Pick<MomentInputs, 'outside' | 'cognition'>,
): boolean => outside || (cognition !== 'human' && reader.hasOutside)

/**
 * Reads the program of one moment, and the slice of the context that its flow reads.
 * @param dryRun another flow in the place of its own, and whether the moment holds words from outside
 */
export async function openContext(
  reader: WorldReader,
  opening: MomentInputs,
  dryRun?: { readonly flow: JsonObject[]; readonly outside: boolean },
): Promise<OpenedContext> {
  const { me } = opening
  const own = Array.isArray(me.qualities.roleFlow) ? (me.qualities.roleFlow as JsonObject[]) : []
  const flow = dryRun?.flow ?? own
  const paths = flowPaths(flow)
  const namespaces = worldNamespaces(paths)
  reader.reads(beingKey(me.name)) // its wakes rest on its own qualities, as those of schedules do
  for (const [key, path] of readByFlow(paths, me.space)) reader.reads(key, path)
  const names = [
    ...new Set([
      ...rolesNamed(dryRun === undefined ? me : { ...me, qualities: { roleFlow: flow } }),
      ...(opening.asked === null ? [] : [opening.asked]),
    ]),
  ].sort()
  await reader.prefetch([spaceKey(me.space), ...namespaces.map(worldKey), ...names.map(roleKey)])

  const roles: Record<RoleName, Program['roles'][RoleName]> = {}
  for (const name of names) {
    const role = await reader.role(name)
    if (role === null) continue
    const { digest, requiredCognition, triggerOn } = role
    roles[name] = { digest, requiredCognition, ...(triggerOn === undefined ? {} : { triggerOn }) }
  }
  const world: Record<string, JsonObject> = {}
  for (const namespace of namespaces) {
    const row = await reader.world(namespace)
    if (row !== null) world[namespace] = row.values
  }
  // Only a flow that reads the place asks for it, so that other moments read no more than before.
  const asksPlace = paths.some((path) => path === 'space' || path.startsWith('space.quality'))
  const isPlaceHidden =
    asksPlace && !(await (opening.readsPlace ?? readsPlace)(reader, me, dryRun !== undefined))
  const place = asksPlace && !isPlaceHidden ? await reader.space(me.space) : null
  const { time, lastSealed, caller } = opening
  const outside = dryRun?.outside ?? holdsOutside(reader, opening)
  const readsOrigin = paths.some((path) => path === 'moment' || path.startsWith('moment.'))
  const context: OpenContext = {
    verb: opening.verb,
    wake: { kind: opening.kind },
    caller: caller === null ? null : { role: caller.role, cognition: caller.cognition },
    space: { name: spaceName(me.space), quality: withoutShadow(place?.qualities ?? {}) },
    inHomeSpace: me.space === me.home,
    time: {
      hour: time.hour,
      dayOfWeek: time.dayOfWeek,
      sinceLastMoment: lastSealed === null ? null : Math.floor((time.openedAt - lastSealed.sealedAt) / 1000),
    },
    me: { previousRole: lastSealed?.primary ?? null, quality: withoutShadow(me.qualities) },
    moment: { outside, origins: readsOrigin ? await originsOf(reader, opening, outside) : {} },
    world,
  }
  const program = { flow, defaultRole: me.defaultRole, roles }
  const restsOnOrigin = readsOrigin || opening.asked !== null
  return { program, context: sliceContext(context, paths), isPlaceHidden, outside, restsOnOrigin }
}

/** The qualities of its place, and the signals, that a flow with these paths reads: keys of rows with paths. */
export const readByFlow = (paths: readonly string[], place: SpacePath): [key: string, path: KeyPath][] =>
  paths.flatMap((dotted): [string, KeyPath][] => {
    const [root, name, ...path] = dotted.split('.')
    if (root === 'space' && name === 'quality') return [[spaceKey(place), path]]
    return root === 'world' && name !== undefined ? [[worldKey(name), path]] : []
  })

/** Who speaks to the being in a moment, by kind, as rows say. Without a speaker it is the being itself. */
async function originsOf(
  reader: WorldReader,
  { me, caller }: MomentInputs,
  outside: boolean,
): Promise<OpenContext['moment']['origins']> {
  const of = outside ? { outside: true as const } : {}
  if (caller === null || caller.name === me.name) return { ...of, self: true }
  const isMaker = (await reader.lineage(me.name)).some(({ name }) => name === caller.name)
  const isPerson = caller.cognition === 'human'
  return {
    ...of,
    ...(isMaker ? { maker: true } : {}),
    ...(isPerson ? { person: true } : {}),
    ...(isMaker || isPerson ? {} : { being: true }),
  }
}
