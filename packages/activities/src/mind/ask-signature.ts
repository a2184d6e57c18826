import {
  type BeingName,
  isErrorCode,
  isOverlayHandle,
  type MomentId,
  type OverlayRecord,
  parseMomentId,
  readPath,
  TreeosError,
} from '@treeos/core'
import type { SignatureRef } from '@treeos/overlay'
import type { LoadedMoment } from '@treeos/reality'
import { renderSignature } from '@treeos/signature'
import { type CallCost, findOverlaySources, settle } from '@treeos/store'
import { type AskSignature, whyParked } from '@treeos/world'
import { LRUCache } from 'lru-cache'
import type { BeatDeps } from '../deps.ts'
import type { failureDecision } from '../guard/failure-decision.ts'
import { withPostgresRetry } from '../guard/guard.ts'
import { newAttempt } from '../model/ask-within-budgets.ts'
import { ModelTransientError } from '../model/model.ts'
import { askInOrder } from './fallbacks.ts'
import { type CallOverlay, resolveOverlay } from './resolve-overlay.ts'
import { answerLimitOf, modelOf } from './thought.ts'

/** Most calls of one attempt of an effect. */
const CALLS_MAX = 16

/**
 * How the effect of a moment calls the model of its actor: with the actor's own model, its limit of an answer
 * and its budgets. The real cost is settled before the outputs are used, so an effect that fails later has
 * paid for its calls.
 * @param at entry: name of the Signature that overlays attach to by default
 */
export function askBy(
  deps: BeatDeps,
  at: {
    readonly moment: MomentId
    readonly entry: string | undefined
    readonly signal: AbortSignal
    /** hears of the overlay of each call, without its text */
    readonly onOverlay: (record: OverlayRecord) => void
  },
): AskSignature {
  let calls = 0
  return async (signature, inputs) => {
    calls += 1
    if (calls > CALLS_MAX)
      throw new TreeosError('RATE_LIMITED', `an effect calls a model at most ${CALLS_MAX} times`)
    const { moment, signal } = at
    const filled = await signature.fill(inputs)
    const loaded = await withPostgresRetry(deps.observe, () => deps.memory.moments.load(deps.db, moment))
    const model = modelOf(deps, loaded)
    if ('kind' in model) throw signatureRefusal(model)
    const { being } = parseMomentId(moment)
    const isEntry = signature.name === at.entry
    const overlay = await overlayOf(deps, loaded, { name: signature.name, isEntry })
    if (overlay !== null) at.onOverlay(overlay.record)
    try {
      const asked = await askInOrder(
        { ...deps, memory: { ...deps.memory, worstCosts: NO_FORECAST } },
        {
          model,
          moment,
          attempt: newAttempt(),
          reservation: null,
          request: {
            tools: [signature.tool],
            forceToolCall: true,
            signal,
            prompt: renderSignature(filled, overlay?.value ?? null),
            ...answerLimitOf(loaded),
          },
          callOf: (one) => ({ ...one, decide: (request) => one.complete(request) }),
          failureOf: (answer) => ('failure' in answer ? answer.failure.message : null),
        },
      )
      if ('breach' in asked) throw new TreeosError('BUDGET_EXCEEDED', whyParked(being, asked.breach))
      const { answer, settlement } = asked
      if (settlement !== null)
        await withPostgresRetry(deps.observe, () => settle(deps.db, settlement, settlement.used))
      const { usage } = answer
      deps.observe.model(
        'failure' in answer ? 'failure' : 'outputs',
        usage === null ? null : { prompt: usage.promptTokens, completion: usage.completionTokens },
      )
      if ('failure' in answer) throw signatureRefusal(answer.failure)
      return await signature.readOutputs(overlay?.mask(answer.outputs) ?? answer.outputs)
    } catch (error) {
      if (error instanceof ModelTransientError) deps.observe.model('lost', null)
      throw error
    }
  }
}

/** What a skill costs says nothing of what the next moment will cost. */
const NO_FORECAST = new LRUCache<BeingName, CallCost>({ max: 1 })

/** Resolved when the call is made. A person's act brings the handle of its own overlay. */
async function overlayOf(
  deps: BeatDeps,
  loaded: LoadedMoment,
  signature: SignatureRef,
): Promise<CallOverlay | null> {
  const { record } = loaded
  const found = await withPostgresRetry(deps.observe, () => findOverlaySources(deps.db, record.wake.id))
  const call = handleOfAct(loaded)
  const sources = call === null ? found : { thread: null, hasStored: true, ...found, call }
  const overlay = await resolveOverlay(deps, { record, sources }, signature)
  if (overlay !== null && 'kind' in overlay) throw signatureRefusal(overlay)
  return overlay
}

/**
 * The handle of the overlay that a person's act brings; null for any other moment, whose wake brings one or
 * none.
 */
export function handleOfAct({ record, content }: LoadedMoment): string | null {
  const handle = record.wake.kind === 'act' ? readPath(content, ['call', 'overlay']) : null
  return isOverlayHandle(handle) ? handle : null
}

const signatureRefusal = ({ code, message }: ReturnType<typeof failureDecision>): TreeosError =>
  new TreeosError(isErrorCode(code) ? code : 'INTERNAL', message)
