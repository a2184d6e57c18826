/** What is tried in the shadow of the flow of a being: it decides nothing. */
import { at, isArray, isObject, type Json, type JsonObject } from '../canonical.ts'
import { rolesFor } from '../flow.ts'
import { askedIn } from '../wake.ts'
import { contextOf, flowOf, pathsIn, programOf } from './context.ts'
import { REGISTRY, type State } from './states.ts'

const readsPlace = (flow: Json) => [...pathsIn(flow)].some((path) => /^space($|[.]quality)/.test(path))

/** The roles that the flow in the shadow gives. @returns null without such a flow, and where it reads what is not here, or its place */
export function triedRoles(
  open: Json,
  { told, me, program }: { told: Json; me: State; program: JsonObject },
  stateOf: (reel: string) => State | null,
): Json[] | null {
  const flow = at(me.qualities, 'shadow') ?? null
  if (!isArray(flow) || readsPlace(flow)) return null
  let isWhole = stateOf(REGISTRY) !== null
  const looked = (reel: string) => {
    const state = stateOf(reel)
    isWhole &&= state !== null
    return state
  }
  const context = contextOf(open, { told, me, flow }, looked)
  const own = { ...me, qualities: { ...(isObject(me.qualities) ? me.qualities : {}), roleFlow: flow } }
  const tried = programOf(program, own, at(open, 'asked') ?? null, stateOf)
  const cognition = String(at(open, 'cognition', 'kind'))
  const roles = rolesFor(tried, { context, cognition, asked: askedIn(open) })
  return isWhole ? roles.map(({ role }) => role) : null
}

/**
 * Whether the reels that are said to be read for the flow in the shadow alone are such that it reads, and its own flow does not. Whom else a being
 * needs to ask for its place is not derived, nor makers behind one that is not here.
 */
export function areTried(
  open: Json,
  { told, me, program }: { told: Json; me: State; program: Json | undefined },
  stateOf: (reel: string) => State | null,
): boolean {
  const said = at(open, 'triedOutside') ?? []
  const flow = at(me.qualities, 'shadow') ?? null
  let isKnown = true
  const readBy = (one: Json): string[] => {
    const read: string[] = []
    contextOf(open, { told, me, flow: one }, (reel) => {
      read.push(reel)
      const state = stateOf(reel)
      if (reel.startsWith('being:')) isKnown &&= state !== null
      return state
    })
    return read
  }
  const being = String(at(open, 'moment')).split('/')[0]
  const own = [`being:${being}`, `space:${me.space}`, ...readBy(flowOf(me, program))]
  isKnown = true
  const tried = readBy(flow)
  const mayRead = (reel: string) =>
    tried.includes(reel) ||
    (reel.startsWith('being:') && (!isKnown || readsPlace(flow))) ||
    (reel.startsWith('space:') && readsPlace(flow))
  return isArray(said) && said.every((reel) => !own.includes(String(reel)) && mayRead(String(reel)))
}
