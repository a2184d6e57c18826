import type { VerbCall } from '@treeos/core'
import type { EffectPending } from '../extend/effect.ts'
import { requirePart } from '../gates/beside.ts'
import { requireListed } from '../gates/list-gate.ts'
import { askRuleGate } from '../gates/rule-gate.ts'
import { nameOf, type OperationTarget, resolve } from '../read/target.ts'
import { canonicalTarget } from '../rows/lists.ts'
import { maySeeSpace } from '../views/may-see.ts'
import { type Act, type Acting, NOTHING_DONE } from './acting.ts'
import { publishesCatalogs } from './catalogs.ts'
import { type Descriptor, describe } from './descriptor.ts'
import { operate } from './operate.ts'
import { requireBounded } from './run-operation.ts'
import { summon } from './summon.ts'

/**
 * Decides one verb call. Each gate is asked once: the list gate before anything is read of the target, the rule gate
 * after it.
 * @returns the act, or the effect that has to be done before the call can be decided
 * @throws {TreeosError} FORBIDDEN from either gate, or the code of another fault of the call; then nothing is written
 * @throws the error of a read that failed
 */
export async function decideCall(call: VerbCall, at: Acting): Promise<Act | EffectPending> {
  try {
    const act = await decide(call, at)
    if (act.kind === 'act') requireBounded(act)
    return act
  } finally {
    at.reader.requireWhole() // an operation may have caught the error of a failed read and gone on
  }
}

function decide(call: VerbCall, at: Acting): Promise<Act | EffectPending> {
  switch (call.verb) {
    case 'see':
      return see(call.address, at)
    case 'summon':
      return summon(call, at)
    case 'do':
      return operate(call, at)
    case 'be':
      return operate({ verb: 'be', action: call.operation, target: null, args: call.payload }, at)
  }
}

/** Whether who sees a being may also SEE the space where it is. */
async function seesPlaceOf(
  target: OperationTarget,
  { reader: world, me, surface }: Acting,
): Promise<boolean> {
  const space = target.kind === 'being' ? await world.space(target.being.space) : null
  return space !== null && maySeeSpace({ world, me, surface }, space)
}

/** SEE: shows what is at an address. It writes no fact. */
async function see(address: string, at: Acting): Promise<Act> {
  const listed = await requireListed(at, 'see', canonicalTarget('canSee', address, at.me.home))
  const target = await resolve(at, address)
  if (target.kind === 'thread') requirePart(at.me, target.thread)
  const key = nameOf(target)
  const rule = await askRuleGate(at.reader, at.me, 'see', { key, target, fallback: ['anyone'] })
  const seen = async (): Promise<Descriptor> => {
    const entry = await describe(at.reader, target, await seesPlaceOf(target, at))
    return publishesCatalogs(target) ? { ...entry, catalogs: await at.catalogs() } : entry
  }
  return { ...NOTHING_DONE, seen, by: [listed, rule] }
}
