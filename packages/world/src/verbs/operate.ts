import {
  type BeingName,
  beingReel,
  type FactDraft,
  type Json,
  newWake,
  PRIORITIES,
  REGISTRY_REEL,
  requireStorable,
  stanceOf,
  TreeosError,
  type Wake,
} from '@treeos/core'
import type { EffectPending } from '../extend/effect.ts'
import type { ResumedApproval } from '../extend/extension.ts'
import { SUBSTRATE_REGISTRY } from '../extend/substrate.ts'
import { requireListed } from '../gates/list-gate.ts'
import { approversOf, entryFor, hasGiven } from '../rows/approvals.ts'
import { lenderOf } from '../rows/inhabitation.ts'
import { type Act, type ActInputs, type CallInputs, NOTHING_DONE } from './act-inputs.ts'
import { fulfil } from './fulfil.ts'
import type { OperationRequest } from './request.ts'
import { type RegisteredOperation, resolveOperation } from './resolve-operation.ts'
import { resumedWake } from './resumed-wake.ts'
import { inputOf, runOperation } from './run-operation.ts'
import { summon } from './summon.ts'
import { spreadsOutside } from './with-origin.ts'

/** DO, an operation on a target, or BE, one on the actor itself. */
export async function operate(request: OperationRequest, at: CallInputs): Promise<Act | EffectPending> {
  const { reader, me, driver, surface } = at
  const listed = await requireListed(at, request.verb, request.operation)
  at.consent.listed ||= listed
  const { operation, target, rule } = await resolveOperation(at, request, me, at.consent)
  const fulfilled = operation.mediates === true ? await fulfil(at, operation, request.args) : null
  if (fulfilled?.kind === 'effect-pending') return fulfilled
  const lender = lenderOf(me, driver)
  const deciding = { actor: me, driver, lender, surface, cognition: at.caller.cognition }
  const input = await inputOf(at, deciding, { target, args: request.args, fulfilled })
  const outcome = await runOperation(operation, at, input)
  if (outcome.kind === 'effect-pending') return outcome
  const isDoneOutside = operation.effect !== undefined || fulfilled?.kind === 'decided'
  const hasEffect = operation.effect !== undefined || (fulfilled?.kind === 'decided' && fulfilled.hasEffect)
  const fromOutside = spreadsOutside(at, hasEffect)
  const {
    facts,
    closes = [],
    result,
    specs = [],
    reply,
    tell,
    awakens = [],
    rests,
    resumes,
    asksAgain,
  } = outcome.decided
  // Append checks that no reel which it writes has moved, so the moment must have read their heads.
  await reader.prefetch(facts.map((fact) => fact.reel).filter((reel) => reel !== REGISTRY_REEL))
  const wakes = await Promise.all(awakens.map((wake) => awaken(wake, facts, at)))
  if (resumes !== undefined) wakes.push(await resume(resumes, operation, at))
  if (asksAgain !== undefined && operation.origin === SUBSTRATE_REGISTRY)
    wakes.push(
      ...approversOf(asksAgain).flatMap((person) =>
        hasGiven(asksAgain, person) ? [] : [entryFor(asksAgain, person)],
      ),
    )
  const by = [listed, rule, ...(fulfilled?.kind === 'decided' ? fulfilled.by : [])]
  const act: Act = {
    ...NOTHING_DONE,
    facts,
    wakes,
    closes,
    result,
    specs,
    by,
    ...(rests === true ? { rests } : {}),
    ...(isDoneOutside ? { isDoneOutside } : {}),
    ...(fromOutside ? { fromOutside } : {}),
  }
  // Nobody is asked about words after something was done outside: a rule that asks about them refuses.
  const speaking = { ...at, fromOutside, ...(isDoneOutside ? { consent: at.consent.refusing() } : {}) }
  if (tell !== undefined) return withSpeech(act, tell.target, tell.content, speaking)
  const isAnswered = at.owed !== null && at.wake.expectReply !== false
  return reply === undefined || !isAnswered ? act : withSpeech(act, null, reply, speaking)
}

/**
 * A wake of its own for a being that the actor made, or makes in this act.
 * @throws {TreeosError} EXTENSION_BLOCKED for any other being
 */
async function awaken(
  { being, content }: { readonly being: BeingName; readonly content: Json },
  facts: readonly FactDraft[],
  at: ActInputs,
): Promise<Wake> {
  const { me, wake, moment } = at
  const isNewborn = facts.some(
    ({ kind, reel, payload }) =>
      kind === 'being:born' && reel === beingReel(being) && payload.parent === me.name,
  )
  if (!isNewborn && (await at.reader.being(being))?.parent !== me.name)
    throw new TreeosError('EXTENSION_BLOCKED', `${stanceOf(being)} is not a child of ${stanceOf(me.name)}`)
  const id = `awakened/${moment}/${being}`
  return newWake({
    id,
    being,
    kind: 'event',
    priority: PRIORITIES.interactive,
    content: requireStorable(content, 'a wake'),
    root: wake.kind === 'act' ? id : wake.root,
    hops: at.hops + 1,
  })
}

/**
 * @throws {TreeosError} EXTENSION_BLOCKED for an operation that is not of the substrate; RESOURCE_CONFLICT
 *   when the wake is gone
 */
async function resume(
  resumed: ResumedApproval,
  { name, origin }: RegisteredOperation,
  at: ActInputs,
): Promise<Wake> {
  if (origin !== SUBSTRATE_REGISTRY)
    throw new TreeosError(
      'EXTENSION_BLOCKED',
      `${name} of extension ${origin} may not wake a being that asked`,
    )
  const entry = await at.question(resumed.row.wake)
  if (entry !== null) return resumedWake(resumed, entry)
  throw new TreeosError('RESOURCE_CONFLICT', `what woke the moment ${resumed.row.id} is gone`)
}

/**
 * Adds a summon like any other, which passes both gates and counts as a hop.
 * @param target null for whoever is owed an answer
 */
async function withSpeech(act: Act, target: string | null, content: Json, at: CallInputs): Promise<Act> {
  const speech = await summon({ verb: 'summon', target, content, inReplyTo: null }, at)
  return {
    ...act,
    facts: [...act.facts, ...speech.facts],
    wakes: [...act.wakes, ...speech.wakes],
    closes: [...act.closes, ...speech.closes],
    remark: speech.remark,
  }
}
