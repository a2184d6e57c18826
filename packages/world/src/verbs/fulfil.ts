import { stanceOf, TreeosError } from '@treeos/core'
import type { EffectPending } from '../extend/effect.ts'
import type { Decided, Operation } from '../extend/extension.ts'
import { requireStanding } from '../gates/ask-stance-gate.ts'
import { ceilingsOf, listGate, requireListed } from '../gates/list-gate.ts'
import { requireNotEnded, requireNotEndedTarget } from '../gates/living.ts'
import { reachWith } from '../gates/reach.ts'
import { seesSpace } from '../gates/sight.ts'
import { type OperationTarget, resolve } from '../read/target.ts'
import { coversEntry, LIST_OF_VERB, type Surface } from '../rows/lists.ts'
import type { BeingRow } from '../rows/rows.ts'
import { type Acting, wakeView } from './acting.ts'
import { decideOperation } from './decide-operation.ts'
import { defaultTarget, requireOperation, requireTarget } from './find-operation.ts'
import { type OperationRequest, parseRequest } from './request.ts'

/** What was decided for the asker, with the rules that allowed it to the asker. */
export type Fulfilled =
  | { readonly kind: 'decided'; readonly decided: Decided; readonly by: readonly string[] }
  | EffectPending

/**
 * Decides the operation that the content of the wake requests, on behalf of the asker. The asker must be able to do the
 * same alone: its lists held the action when it asked, and its reach holds it now. Standing, ceilings and reach are those of
 * the asker or of its lender. The lists of the being that mediates must hold the action too.
 * @param by the operation that fulfils the request, such as `mediate`; it cannot be requested through itself
 */
export async function fulfil(at: Acting, by: Operation): Promise<Fulfilled> {
  const { wake, reader } = at
  const request = wake.kind === 'summon' && wake.inReplyTo === null ? parseRequest(wake.content) : null
  if (request === null)
    throw new TreeosError(
      'INVALID_INPUT',
      'the wake requests no operation: send {"do": action, …} or {"be": operation, …}',
    )
  const asker = wake.caller === null ? null : await reader.being(wake.caller.name)
  if (asker === null || wake.caller === null)
    throw new TreeosError(
      'UNAUTHORIZED',
      `no being requested ${request.action}: only a summon of a being can request an operation`,
    )
  requireNotEnded(asker)
  if (request.action === by.name)
    throw new TreeosError('FORBIDDEN', `${by.name} cannot be requested through itself`)
  const { verb, action, args } = request
  await requireListed(at, verb, action)
  const askerThen = await at.asker()
  if (askerThen === null)
    throw new TreeosError(
      'FORBIDDEN',
      `the surface that ${stanceOf(asker.name)} had when it asked is not known`,
    )
  const { driver, lender, surface } = askerThen
  const listed = await requireAsked(at, asker, request, surface)
  const reach = await reachWith(reader, asker, lender)
  const named = LIST_OF_VERB[verb]
  if (!coversEntry(named, reach[named], action, asker.home)) {
    throw new TreeosError('FORBIDDEN', `${action} is beyond the reach of ${stanceOf(asker.name)}`)
  }
  const operation = requireOperation(at.registry, action, verb)
  const target: OperationTarget =
    verb === 'be'
      ? { kind: 'being', being: asker }
      : await resolve(
          { reader, me: asker, thread: at.thread },
          request.target ?? defaultTarget(operation, asker),
        )
  requireTarget(operation, target)
  requireNotEndedTarget(target)
  const rule = await requireStanding(reader, asker, verb, {
    key: operation.name,
    target,
    fallback: operation.allow,
  })
  const outcome = await decideOperation(operation, at, {
    actor: asker,
    driver: driver === null ? null : await reader.being(driver),
    lender: lender === null ? null : await reader.being(lender),
    cognition: wake.caller.cognition,
    target,
    args,
    moment: at.moment,
    wake: wakeView(wake),
    world: reader,
    digest: at.digest,
    openedAt: at.openedAt,
    reach: async () => reach,
    sees: (space) => seesSpace(reader, { me: asker, surface, reach: async () => reach }, space),
    fulfil: () =>
      Promise.reject(new TreeosError('FORBIDDEN', 'a requested operation cannot request another one')),
  })
  if (outcome.kind === 'effect-pending') return outcome
  const facts = outcome.decided.facts.map((fact) => ({
    ...fact,
    payload: { ...fact.payload, onBehalfOf: asker.name },
  }))
  const rules = [listed, rule].map((each) => `${stanceOf(asker.name)} ${each}`)
  return { kind: 'decided', decided: { ...outcome.decided, facts }, by: rules }
}

/** Asks the list gate about the asker, with the surface that it had when it asked. */
async function requireAsked(
  { reader }: Acting,
  asker: BeingRow,
  { verb, action }: OperationRequest,
  surface: Surface,
): Promise<string> {
  const decision = listGate(surface, await ceilingsOf(reader, asker), LIST_OF_VERB[verb], action)
  if (decision.allowed) return decision.by
  const { by, why } = decision
  throw new TreeosError('FORBIDDEN', `of ${stanceOf(asker.name)}, which requested this: ${why}`, {
    answer: 'not-granted',
    by: `${stanceOf(asker.name)} ${by}`,
  })
}
