import { type JsonObject, refusalSentence, stanceOf, TreeosError } from '@treeos/core'
import type { EffectPending } from '../extend/effect.ts'
import type { FulfilledAsk } from '../extend/extension.ts'
import { ceilingsOf, listGate, requireListed } from '../gates/list-gate.ts'
import { requireNotEnded } from '../gates/moment-guards.ts'
import { reachWith } from '../gates/reach.ts'
import { coversEntry, LIST_OF_VERB, type Surface } from '../rows/lists.ts'
import type { BeingRow } from '../rows/rows.ts'
import type { ActInputs } from './act-inputs.ts'
import { type OperationRequest, parseRequest } from './request.ts'
import { type RegisteredOperation, resolveOperation } from './resolve-operation.ts'
import { inputOf, runOperation } from './run-operation.ts'

/**
 * Decides the operation that the content of the wake requests, on behalf of the asker, for an operation that
 * mediates.
 * @param args of the operation that mediates
 * @returns the refusal that the asker would get as a value: it is the asker's, not the mediator's
 * @throws {TreeosError} INVALID_INPUT for arguments; UNAUTHORIZED when no being requests anything
 */
export async function fulfil(
  at: ActInputs,
  by: RegisteredOperation,
  args: JsonObject,
): Promise<FulfilledAsk | EffectPending> {
  await by.requireArgs?.(args)
  try {
    return await decideForAsker(at, by.name)
  } catch (error) {
    if (!(error instanceof TreeosError) || error.code === 'UNAUTHORIZED') throw error
    return { kind: 'refused', error }
  }
}

/**
 * The asker must be able to do the same alone: its lists held the operation when it asked, and its reach
 * holds it now. Standing, ceilings and reach are those of the asker or of its lender. The lists of the being
 * that mediates must hold the operation too.
 * @param by the operation that mediates; it cannot be requested through itself
 */
async function decideForAsker(at: ActInputs, by: string): Promise<FulfilledAsk | EffectPending> {
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
      `no being requested ${request.operation}: only a summon of a being can request an operation`,
    )
  requireNotEnded(asker)
  const { verb, operation: wanted } = request
  if (wanted === by) throw new TreeosError('FORBIDDEN', `${by} cannot be requested through itself`)
  await requireListed(at, verb, wanted)
  const askerInputs = await at.asker()
  if (askerInputs === null)
    throw new TreeosError(
      'FORBIDDEN',
      `the surface that ${stanceOf(asker.name)} had when it asked is not known`,
    )
  const listed = await requireAsked(at, asker, request, askerInputs.surface)
  const list = LIST_OF_VERB[verb]
  const reach = await reachWith(reader, asker, askerInputs.lender)
  if (!coversEntry(list, reach[list], wanted, asker.home))
    throw new TreeosError('FORBIDDEN', `${wanted} is beyond the reach of ${stanceOf(asker.name)}`)
  const found = await resolveOperation(at, request, asker)
  if (found.operation.mediates === true)
    throw new TreeosError('FORBIDDEN', 'a requested operation cannot request another one')
  const as = { ...askerInputs, actor: asker, cognition: wake.caller.cognition }
  const outcome = await runOperation(found.operation, at, await inputOf(at, as, { ...request, ...found }))
  if (outcome.kind === 'effect-pending') return outcome
  const facts = outcome.decided.facts.map((fact) => ({
    ...fact,
    payload: { ...fact.payload, onBehalfOf: asker.name },
  }))
  const rules = [listed, found.rule].map((rule) => `${stanceOf(asker.name)} ${rule}`)
  const hasEffect = found.operation.effect !== undefined
  return { kind: 'decided', decided: { ...outcome.decided, facts }, by: rules, hasEffect }
}

/** Asks the list gate about the asker, with the surface that it had when it asked. */
async function requireAsked(
  { reader }: ActInputs,
  asker: BeingRow,
  { verb, operation: wanted }: OperationRequest,
  surface: Surface,
): Promise<string> {
  const decision = listGate(surface, await ceilingsOf(reader, asker), LIST_OF_VERB[verb], wanted)
  if (decision.allowed) return decision.by
  const { by, refusal } = decision
  throw new TreeosError(
    'FORBIDDEN',
    `of ${stanceOf(asker.name)}, which requested this: ${refusalSentence(refusal)}`,
    {
      answer: 'not-granted',
      by: `${stanceOf(asker.name)} ${by}`,
    },
  )
}
