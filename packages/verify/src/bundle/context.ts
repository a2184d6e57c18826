/** The program and the context of a moment, as far as what is here gives them. */
import { at, isArray, isObject, type Json, type JsonObject } from '../canonical.ts'
import { originsIn } from '../origin.ts'
import { untried } from '../set-path.ts'
import { seenKind } from '../wake.ts'
import { REGISTRY, type State } from './states.ts'

/** The context as far as it can be derived: what depends on a reel that is not here is left out. */
export function contextOf(
  open: Json,
  { told, me, flow }: { told: Json; me: State | null; flow: Json },
  stateOf: (reel: string) => State | null,
): JsonObject {
  const last = at(open, 'lastSealed') ?? null
  const caller = at(open, 'caller') ?? null
  const since = Math.floor((Number(at(open, 'openedAt')) - Number(at(last, 'sealedAt'))) / 1000)
  const given: JsonObject = {
    verb: at(open, 'verb') ?? null,
    wake: { kind: seenKind(open) },
    caller:
      caller === null
        ? null
        : { role: at(caller, 'role') ?? null, cognition: at(caller, 'cognition') ?? null },
    time: {
      hour: at(open, 'hour') ?? null,
      dayOfWeek: at(open, 'dayOfWeek') ?? null,
      sinceLastMoment: last === null ? null : since,
    },
    moment: momentOf(open, { told, me, flow }, stateOf),
  }
  const path = typeof me?.space === 'string' ? me.space : null
  const read = new Set(pathsIn(flow))
  const readsSpace = [...read].some((one) => one.startsWith('space.quality'))
  const isHidden = at(open, 'hidden') === true
  const space = path === null || !readsSpace || isHidden ? null : stateOf(`space:${path}`)
  const quality = isHidden ? {} : (at(told, 'space', 'quality') ?? {})
  const names = [...read].flatMap((one) => /^world\.([^.]+)/.exec(one)?.[1] ?? [])
  const world = [...new Set(names)].map((name): [string, Json] => {
    const state = stateOf(`world:${name}`)
    return [name, state === null ? (at(told, 'world', name) ?? null) : (state.values ?? {})]
  })
  if (me === null || path === null) return given
  return {
    ...given,
    me: { previousRole: at(last, 'primary') ?? null, quality: untried(me.qualities ?? {}) },
    inHomeSpace: path === me.home,
    space: {
      name: path === '/' ? '/' : path.slice(path.lastIndexOf('/') + 1),
      quality: untried(space?.qualities ?? quality),
    },
    world: Object.fromEntries(world),
  }
}

/** Where its words are from. Who made the being is looked up where its flow asks for that. */
function momentOf(
  open: Json,
  { told, me, flow }: { told: Json; me: State | null; flow: Json },
  stateOf: (reel: string) => State | null,
): JsonObject {
  const makers: Json[] = []
  let isKnown = me !== null
  if ([...pathsIn(flow)].some((path) => path.startsWith('moment.origins')))
    for (let one = me; one !== null && typeof one.parent === 'string' && makers.length < 64; ) {
      makers.push(one.parent)
      one = stateOf(`being:${one.parent}`)
      isKnown = one !== null
    }
  const being = String(at(open, 'moment')).split('/')[0] ?? null
  const origins = originsIn(open, being, isKnown ? makers : null)
  return { outside: at(open, 'outside') === true, origins: origins ?? at(told, 'moment', 'origins') ?? {} }
}

export const flowOf = (me: State | null, program: Json | undefined): Json =>
  (me === null ? at(program, 'flow') : at(me.qualities, 'roleFlow')) ?? null

const ROOTS = ['verb', 'wake', 'caller', 'space', 'inHomeSpace', 'time', 'me', 'moment', 'world']

/** The paths of contexts that a flow names. */
export function* pathsRead(flow: Json): Generator<string> {
  for (const path of pathsIn(flow)) if (ROOTS.includes(path.split('.')[0] ?? '')) yield path
}

/** What the conditions of a flow name. */
export function* pathsIn(part: Json): Generator<string> {
  for (const [key, value] of Object.entries(isObject(part) || isArray(part) ? part : {})) {
    yield key
    yield* pathsIn(value)
  }
}

/** The program as far as it can be derived: flow and default role of the being, and the roles that were set. */
export function programOf(
  told: JsonObject,
  me: State | null,
  asked: Json,
  stateOf: (reel: string) => State | null,
): JsonObject {
  const own = at(me?.qualities, 'roleFlow')
  const flow = me === null ? (told.flow ?? []) : isArray(own) ? own : []
  const defaultRole = me === null ? (told.defaultRole ?? null) : (me.defaultRole ?? null)
  const registry = stateOf(REGISTRY)
  if (registry === null) return { flow, defaultRole, roles: told.roles ?? {} }
  const named = (isArray(flow) ? flow : []).map((clause) => at(clause, 'role') ?? null)
  const names = [...named, defaultRole, asked].filter((name) => typeof name === 'string')
  const roles = names.flatMap((name): [string, Json][] => {
    const role = at(registry, name)
    return role === undefined ? [] : [[name, role]]
  })
  return { flow, defaultRole, roles: Object.fromEntries(roles) }
}
