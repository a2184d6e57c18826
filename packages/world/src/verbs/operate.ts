import {
  type BeingName,
  beingReel,
  type FactDraft,
  type Json,
  type JsonObject,
  newWake,
  PRIORITIES,
  REGISTRY_REEL,
  requireContent,
  stanceOf,
  TreeosError,
  type VerbCall,
  type Wake,
} from '@treeos/core'
import type { EffectPending } from '../extend/effect.ts'
import { requireStanding } from '../gates/ask-stance-gate.ts'
import { requireListed } from '../gates/list-gate.ts'
import { requireNotEndedTarget } from '../gates/living.ts'
import { reachWith } from '../gates/reach.ts'
import { seesSpace } from '../gates/sight.ts'
import { type OperationTarget, resolve } from '../read/target.ts'
import { lenderOf } from '../rows/inhabiting.ts'
import { type Act, type Acting, NOTHING_DONE, wakeView } from './acting.ts'
import { decideOperation } from './decide-operation.ts'
import { defaultTarget, type Registered, requireOperation, requireTarget } from './find-operation.ts'
import { fulfil } from './fulfil.ts'
import { summon } from './summon.ts'

/** DO: an operation on a target. */
export async function operate(
  { action, target, args, overlay }: Extract<VerbCall, { verb: 'do' }>,
  at: Acting,
): Promise<Act | EffectPending> {
  const listed = await requireListed(at, 'do', action)
  const operation = requireOperation(at.registry, action, 'do')
  // Nobody would see it, and who gave it would not know.
  if (overlay !== undefined && operation.entry === undefined)
    throw new TreeosError('INVALID_INPUT', `an overlay is for a skill or a task; ${action} is neither`)
  const found = await resolve(at, target ?? defaultTarget(operation, at.me))
  return run(operation, { verb: 'do', listed, target: found, args }, at)
}

/** BE: an operation on the actor itself. */
export async function identify(name: string, payload: JsonObject, at: Acting): Promise<Act | EffectPending> {
  const listed = await requireListed(at, 'be', name)
  const operation = requireOperation(at.registry, name, 'be')
  return run(operation, { verb: 'be', listed, target: { kind: 'being', being: at.me }, args: payload }, at)
}

interface ListedCall {
  readonly verb: 'do' | 'be'
  /** the entry by which the list gate allowed it */
  readonly listed: string
  readonly target: OperationTarget
  readonly args: JsonObject
}

async function run(
  operation: Registered,
  { verb, listed, target, args }: ListedCall,
  at: Acting,
): Promise<Act | EffectPending> {
  const { reader, me, driver } = at
  requireTarget(operation, target)
  requireNotEndedTarget(target)
  const { name: key, allow: fallback } = operation
  const by = [listed, await requireStanding(reader, me, verb, { key, target, fallback })]
  const lender = lenderOf(me, driver)
  const asked: { pending: EffectPending | null } = { pending: null }
  const deciding = decideOperation(operation, at, {
    actor: me,
    driver: driver === null ? null : await reader.being(driver),
    lender: lender === null ? null : await reader.being(lender),
    cognition: at.caller.cognition,
    target,
    args,
    moment: at.moment,
    wake: wakeView(at.wake),
    world: reader,
    digest: at.digest,
    openedAt: at.openedAt,
    reach: () => reachWith(reader, me, lender),
    sees: (space) =>
      seesSpace(reader, { me, surface: at.surface, reach: () => reachWith(reader, me, lender) }, space),
    fulfil: async () => {
      const fulfilled = await fulfil(at, operation)
      if (fulfilled.kind === 'effect-pending') {
        asked.pending = fulfilled
        throw new Error(`${fulfilled.call.operation} waits for its effect`) // stops the operation, which cannot decide yet
      }
      by.push(...fulfilled.by)
      return fulfilled.decided
    },
  })
  const [settled] = await Promise.allSettled([deciding])
  // The operation may have caught the error of `fulfil`: its decision without the effect does not count.
  if (asked.pending !== null) return asked.pending
  if (settled.status === 'rejected') throw settled.reason
  const outcome = settled.value
  if (outcome.kind === 'effect-pending') return outcome
  const { facts, closes = [], result, specs = [], reply, tell, awakens = [], rests } = outcome.decided
  // Append checks that no reel which it writes has moved, so the moment must have read their heads.
  await reader.prefetch(facts.map((fact) => fact.reel).filter((reel) => reel !== REGISTRY_REEL))
  const wakes = await Promise.all(awakens.map((wake) => awaken(wake, facts, at)))
  const act: Act = {
    ...NOTHING_DONE,
    facts,
    wakes,
    closes,
    result,
    specs,
    by,
    ...(rests === true ? { rests } : {}),
  }
  if (tell !== undefined) return withSpeech(act, tell.target, tell.content, at)
  const isAnswered = at.wake.caller !== null && at.wake.expectReply !== false
  return reply === undefined || !isAnswered ? act : withSpeech(act, null, reply, at)
}

/**
 * A wake of its own for a being that the actor made, or makes in this act.
 * @throws {TreeosError} EXTENSION_BLOCKED for any other being
 */
async function awaken(
  { being, content }: { readonly being: BeingName; readonly content: Json },
  facts: readonly FactDraft[],
  at: Acting,
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
    content: requireContent(content, 'a wake'),
    root: wake.kind === 'act' ? id : wake.root,
    hops: at.hops + 1,
  })
}

/** Adds a summon like any other, which passes both gates and counts as a hop. @param target null for the asker */
async function withSpeech(act: Act, target: string | null, content: Json, at: Acting): Promise<Act> {
  const speech = await summon({ verb: 'summon', target, content, inReplyTo: null }, at)
  return {
    ...act,
    facts: [...act.facts, ...speech.facts],
    wakes: [...act.wakes, ...speech.wakes],
    closes: [...act.closes, ...speech.closes],
    remark: speech.remark,
  }
}
