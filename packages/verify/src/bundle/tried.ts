/** What is tried in the shadow of the flow of a being: it decides nothing. */
import { at, isArray, isObject, type Json, type JsonObject } from '../canonical.ts'
import { rolesFor } from '../flow.ts'
import { askedIn } from '../wake.ts'
import { contextOf, pathsIn, programOf } from './context.ts'
import { REGISTRY, type State } from './states.ts'

/** The roles that the flow in the shadow gives. @returns null without such a flow, and where it reads what is not here, or its place */
export function triedRoles(
  open: Json,
  { told, me, program }: { told: Json; me: State; program: JsonObject },
  stateOf: (reel: string) => State | null,
): Json[] | null {
  const flow = at(me.qualities, 'shadow') ?? null
  if (!isArray(flow) || [...pathsIn(flow)].some((path) => /^space($|[.]quality)/.test(path))) return null
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
