import {
  type Decision,
  isContinuation,
  type JsonObject,
  type MomentId,
  type OverlayRecord,
  parseMomentId,
} from '@treeos/core'
import {
  admits,
  maskEcho,
  type Overlay,
  type OverlaysByTier,
  recordOf,
  resolveOverlays,
  type SignatureRef,
} from '@treeos/overlay'
import type { KeptOverlay, Taker } from '@treeos/overlay/vault'
import { listOverlaysInForce, type OpenRecord, type OverlaySources, type StoredOverlay } from '@treeos/store'
import type { BeatDeps } from '../deps.ts'
import { failureDecision } from '../guard/failure-decision.ts'
import { withPostgresRetry } from '../guard/guard.ts'

/** The overlay of one call of a model. It is made just before the call, and nothing keeps it. */
export interface CallOverlay {
  /** the input `role` of the Signature */
  readonly value: string
  readonly record: OverlayRecord
  /** Masks what an answer repeats of it: a decision, or the outputs of a Signature. */
  mask<T extends Decision | JsonObject>(answer: T): T
}

type FailureDecision = Extract<Decision, { kind: 'failure' }>

/**
 * Resolves the overlays of all tiers for one call.
 * @param asked sources as they were when the wake was claimed; undefined when there were none
 * @returns null without an overlay; a failure when the text of one is lost, and then the model must not be
 *   called
 */
export async function resolveOverlay(
  deps: BeatDeps,
  {
    record: { moment, wake },
    sources,
  }: { readonly record: OpenRecord; readonly sources: OverlaySources | undefined },
  signature: SignatureRef,
): Promise<CallOverlay | FailureDecision | null> {
  if (sources === undefined) return null
  const by = takerOf(moment, wake)
  const [call, thread] = await Promise.all([
    take(deps, sources.call, by, LOST_CALL),
    take(deps, sources.thread, { ...by, use: 'thread', of: wake.root }, LOST_THREAD),
  ])
  for (const taken of [call, thread]) if (taken !== null && 'kind' in taken) return taken
  const stored = sources.hasStored ? await storedOverlays(deps, { moment, wake: wake.id }, signature) : {}
  const ephemeral = { call: call as KeptOverlay | null, thread: thread as KeptOverlay | null }
  const overlays: OverlaysByTier = {
    ...stored,
    ...(ephemeral.call === null ? {} : { call: ephemeral.call.overlay }),
    ...(ephemeral.thread === null ? {} : { thread: ephemeral.thread.overlay }),
  }
  const resolved = resolveOverlays(overlays, { signature, mode: deps.overlays.mode })
  if (resolved === null) return null
  const record = recordOf(resolved, ephemeral.call?.salt ?? deps.overlays.saltFor(moment))
  const texts = [resolved.value, ...resolved.tiers.flatMap((tier) => overlays[tier]?.content ?? [])]
  const known = deps.memory.moments.find(moment)
  if (known !== undefined) known.overlay = record
  return {
    value: resolved.value,
    record,
    mask: (answer) => maskEcho(answer as JsonObject, texts) as typeof answer,
  }
}

/**
 * Takes the overlay of a call for a moment that asks no model. The moment that goes on from it can then take it. A
 * lost overlay is reported there.
 */
export async function carryOverlay(
  deps: BeatDeps,
  {
    record: { moment, wake },
    sources,
  }: { readonly record: OpenRecord; readonly sources: OverlaySources | undefined },
): Promise<void> {
  await take(deps, sources?.call ?? null, takerOf(moment, wake), LOST_CALL)
}

/** Both are of rows: who summoned, or whose act it is. So a handle is worth nothing to another being. */
const takerOf = (moment: MomentId, wake: OpenRecord['wake']): Taker => ({
  moment,
  after: isContinuation(wake) ? wake.id.slice(wake.id.indexOf('/') + 1) : null,
  use: 'call',
  of: wake.kind === 'act' ? parseMomentId(moment).being : (wake.caller?.name ?? ''),
})

const LOST_CALL =
  'the overlay of this call is lost: the worker that held it has ended, or it waited too long. The model is not asked without it: send it again'
const USED_CALL =
  'the overlay of this call was used by an earlier moment, and is for one only. The model is not asked without it: send it again'
const FOREIGN =
  'the overlay of this call was left for the call of another being. The model is not asked without it: only who left an overlay can send it'
const LOST_THREAD =
  'the overlay of this thread is lost: the worker that held it has ended, or the thread was silent too long. The model is not asked without it: set the overlay of the thread again, or clear it, and send the message again'

async function take(
  { overlays }: BeatDeps,
  handle: string | null,
  taker: Taker,
  lost: string,
): Promise<KeptOverlay | FailureDecision | null> {
  if (handle === null) return null
  const taken = await overlays.take(handle, taker)
  if (taken.status === 'given') return taken
  return failureDecision('OVERLAY_LOST', { used: USED_CALL, foreign: FOREIGN, lost }[taken.status])
}

/** Of each tier the one that was set last, among those that attach to the Signature. */
async function storedOverlays(
  { db, observe }: BeatDeps,
  { moment, wake }: { readonly moment: MomentId; readonly wake: string },
  signature: SignatureRef,
): Promise<OverlaysByTier> {
  const { being } = parseMomentId(moment)
  const rows = await withPostgresRetry(observe, () => listOverlaysInForce(db, { wake, being }))
  const found: Partial<Record<StoredOverlay['tier'], Overlay>> = {}
  for (const { tier, content, applies } of rows) {
    const overlay = { content, ...(applies === null ? {} : { appliesTo: applies }) }
    if (admits(overlay, signature)) found[tier] ??= overlay
  }
  return found
}
