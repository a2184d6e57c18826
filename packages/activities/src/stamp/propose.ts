/** What a moment proposes to the gates. */
import {
  type Decision,
  type Digest,
  holdsCall,
  isQueuedRead,
  type OverlayRecord,
  type PinnedStack,
} from '@treeos/core'
import type { StampInput } from '@treeos/protocol'
import type { ComposedMoment, LoadedMoment } from '@treeos/reality'
import {
  type DecisionWrite,
  findEffect,
  newDecision,
  recordDecision,
  type StoredDecision,
  saltedDecision,
} from '@treeos/store'
import { type DecidedMoment, decisionOfPerson, saltOfAct } from '@treeos/world'
import type { BeatDeps } from '../deps.ts'
import { carryOverlay } from '../mind/resolve-overlay.ts'
import { composeOnce, type HeldMoment } from '../moments/open-moments.ts'

type ConditionRefusal = NonNullable<DecidedMoment['refused']>

/** Input of the gates: a skip, or a decision with its stack. */
export type GateInput =
  | { readonly kind: 'skipped'; readonly reason: string }
  | {
      readonly kind: 'decided'
      readonly stack: PinnedStack
      readonly composed: ComposedMoment
      readonly decision: Decision
      /** digest of the stored decision; null when `think` failed */
      readonly digest: Digest | null
      /** of the call of its model; null without one */
      readonly overlay: OverlayRecord | null
      /** digest of its prompt; null where neither this worker has the code nor the one that asked told it */
      readonly prompt: Digest | null
      /** what refuses it beside the gates; left out for nothing */
      readonly refused?: ConditionRefusal
    }

/** The proposal of a moment: a skip, a failure, or a decision with its composed stack. */
export async function propose(
  deps: BeatDeps,
  input: StampInput,
  opened: LoadedMoment,
  held: HeldMoment | null,
): Promise<GateInput> {
  if (input.stack === null) return { kind: 'skipped', reason: input.skip ?? 'role-unresolved' }
  const composed = await composeOnce(deps, opened, input.stack)
  const { decision, digest, overlay, prompt: told } = await decisionOf(deps, input, opened, held)
  const prompt = composed.digests.prompt ?? told ?? null
  const proposal = {
    kind: 'decided',
    stack: input.stack,
    composed,
    decision,
    digest,
    overlay,
    prompt,
  } as const
  // The last attempt may have recorded its result although its answer to Temporal was lost.
  if (input.effect === undefined || (await findEffect(deps.db, input.moment))?.result != null) return proposal
  const message = WHY_NO_EFFECT[input.effect] ?? EFFECT_WITHOUT_RESULT
  return refusedByCondition(proposal, { beside: 'effect', code: input.effect, message })
}

async function decisionOf(
  deps: BeatDeps,
  input: StampInput,
  opened: LoadedMoment,
  held: HeldMoment | null,
): Promise<Pick<StoredDecision, 'decision' | 'overlay' | 'prompt'> & { digest: Digest | null }> {
  if (isQueuedRead(opened.record.wake))
    await carryOverlay(deps, { record: opened.record, sources: opened.overlays })
  if (held !== null) {
    held.decision ??= written(opened)
    return held.decision
  }
  if (input.failed !== null)
    return {
      decision: { kind: 'failure', code: input.failed, message: MODEL_WITHOUT_ANSWER },
      digest: null,
      overlay: deps.memory.moments.find(input.moment)?.overlay ?? null,
    }
  if (!holdsCall(opened.record.wake)) {
    const stored = await deps.memory.moments.decision(deps.db, input.moment)
    if (stored === null || stored.digest !== input.decision)
      throw new Error(`the decision of ${input.moment} is not stored`)
    return stored
  }
  return recordDecision(deps.db, input.moment, written(opened))
}

function written(opened: LoadedMoment): DecisionWrite {
  const [decision, salt] = [decisionOfPerson(opened), saltOfAct(opened)]
  return salt === null ? newDecision(decision) : saltedDecision(Buffer.from(salt, 'hex'), decision)
}

// A worker may die after it performed an effect and before it recorded the result.
const EFFECT_WITHOUT_RESULT =
  "the effect gave no result within its attempts, and may have happened nevertheless; the worker's log has each error"
/** Where nothing was done outside. */
const WHY_NO_EFFECT: Readonly<Record<string, string>> = {
  RESOURCE_CONFLICT: 'the act requests another effect than it requested before',
  FORBIDDEN: 'the yes to it was given too long ago, so nothing was done',
}
const MODEL_WITHOUT_ANSWER = "the model did not answer within its attempts; the worker's log has each error"

/**
 * The decision is refused for a reason beside the gates.
 * @throws {Error} for a skip, which such a reason cannot refuse
 */
export function refusedByCondition(proposal: GateInput, refused: ConditionRefusal): GateInput {
  if (proposal.kind === 'skipped') throw new Error(`a skipped moment was refused: ${refused.message}`)
  return { ...proposal, refused }
}

export const LEASE_EXPIRED = 'the lease of this act has expired: inhabit the being again'
export const UNLEASED: ConditionRefusal = { beside: 'lease', code: 'FORBIDDEN', message: LEASE_EXPIRED }
