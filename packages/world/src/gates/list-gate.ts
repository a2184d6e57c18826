import {
  asJson,
  type BeingName,
  type RefusalFields,
  type SpacePath,
  stanceOf,
  unlisted,
  type Verb,
} from '@treeos/core'
import { textPattern } from '@treeos/roles'
import type { WorldReader } from '../read/reader.ts'
import {
  type CanList,
  type CanLists,
  type ConcreteEntry,
  canonicalTarget,
  covers,
  LIST_OF_VERB,
  type Surface,
} from '../rows/lists.ts'
import type { BeingRow } from '../rows/rows.ts'
import { type GateAnswer, GateRefusal, requireAnswer } from './refusal.ts'

/** Answer of the first gate: the entry that allows it, or the list or ceiling that refuses it. */
export type ListDecision =
  | { readonly allowed: true; readonly by: string }
  | { readonly allowed: false; readonly by: string; readonly refusal: RefusalFields }

/**
 * The first gate: the composed list must hold the target, and so must the ceilings of the being and of all
 * its makers.
 */
export function listGate(
  surface: Surface,
  ceilings: readonly Ceiling[],
  list: CanList,
  target: string,
): ListDecision {
  const entry = covers(surface[list], target)
  if (entry === undefined)
    return { allowed: false, by: list, refusal: unlisted(list, target, surface[list].map(asJson)) }
  for (const ceiling of ceilings) {
    if (!isBelow(ceiling, list, target)) {
      const { being } = ceiling
      const by = `the ceiling of ${stanceOf(being)} in ${list}`
      return { allowed: false, by, refusal: { of: 'ceiling', being, list, target } }
    }
  }
  return { allowed: true, by: `${list}: ${typeof entry === 'string' ? entry : JSON.stringify(entry)}` }
}

/** Whether a ceiling leaves room for a target. */
export function isBelow({ lists, home }: Ceiling, list: CanList, target: string): boolean {
  const bound = lists[list].flatMap((item): ConcreteEntry[] => {
    if (typeof item === 'string') return [canonicalTarget(list, item, home)]
    const pattern = textPattern(item)
    return pattern === null ? [] : [{ pattern }]
  })
  return covers(bound, target) !== undefined
}

export interface Ceiling {
  readonly being: BeingName
  readonly home: SpacePath
  readonly lists: CanLists
}

/** The ceilings that bound a being: its own, and those of all its makers. */
export async function ceilingsOf(reader: WorldReader, me: BeingRow): Promise<Ceiling[]> {
  return [me, ...(await reader.lineage(me.name))].flatMap((being) =>
    being.ceiling === null ? [] : [{ being: being.name, home: being.home, lists: being.ceiling }],
  )
}

interface ListGateInputs {
  readonly reader: WorldReader
  readonly me: BeingRow
  readonly surface: Surface
}

/** Asks the list gate whether a being may reach for a target with a verb. */
export async function askListGate(
  { reader, me, surface }: ListGateInputs,
  verb: Verb,
  target: string,
): Promise<GateAnswer> {
  const list = LIST_OF_VERB[verb]
  const decision = listGate(surface, await ceilingsOf(reader, me), list, target)
  if (decision.allowed) return decision
  const { by, refusal } = decision
  const detail = { answer: 'not-granted', by, verb, target }
  return {
    allowed: false,
    refusal: () => new GateRefusal(refusal, detail, { gate: 'list', actor: me.name, list, target }),
  }
}

/**
 * @returns the entry that allows it
 * @throws {TreeosError} FORBIDDEN naming the list or the ceiling that does not hold it
 */
export const requireListed = async (at: ListGateInputs, verb: Verb, target: string): Promise<string> =>
  requireAnswer(await askListGate(at, verb, target))
