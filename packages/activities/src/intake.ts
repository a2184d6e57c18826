import {
  type ActContent,
  actWakeId,
  asJson,
  isJsonObject,
  newWake,
  PRIORITIES,
  parseCall,
  TreeosError,
} from '@treeos/core'
import type { IntakeInput } from '@treeos/protocol'
import { authorizeActingAs, readerOf } from '@treeos/reality'
import { enqueue } from '@treeos/store'
import type { BeatDeps } from './deps.ts'

/**
 * Turns an act that a person sent as a Temporal signal into an inbox row. The person may act as the same beings as on the
 * command line: as the first operator, and as a being that the operator inhabits, which records the operator as the driver.
 * Refuses an act that it cannot parse, and every act where the operator did not turn such acts on. No caller waits
 * for an answer, so the refusal goes to the log only.
 */
export async function intake(
  deps: BeatDeps,
  { being, id, act }: IntakeInput,
): Promise<{ accepted: boolean }> {
  try {
    const { signals } = deps
    if (signals === null) throw new TreeosError('FORBIDDEN', 'acts by signal are off: see TREEOS_ACT_SIGNAL')
    // Who may signal holds the credential of Temporal, so it is the person of this instance: the first operator.
    const lease = await authorizeActingAs(deps, being)
    if (lease === null) await requireHuman(deps, being)
    const content: ActContent = {
      call: parseCall(isJsonObject(act) && 'call' in act ? act.call : act),
      answers: typeof act.answers === 'string' ? act.answers : null,
      ...(lease === null ? {} : { lease }),
    }
    await enqueue(
      signals,
      'signal',
      newWake({
        id: actWakeId(id),
        being,
        kind: 'act',
        priority: PRIORITIES.human,
        content: asJson(content),
        root: id,
      }),
    )
    return { accepted: true }
  } catch (error) {
    if (!(error instanceof TreeosError)) throw error
    deps.observe.error('intake', error)
    return { accepted: false }
  }
}

/** Refuses beings that are not persons. Otherwise anyone who may send Temporal signals could act as any being. */
async function requireHuman(deps: BeatDeps, being: string): Promise<void> {
  const row = await readerOf(deps).being(being)
  const kind = row?.cognition.kind
  if (row?.ended !== undefined)
    throw new TreeosError('BEING_ENDED', `@${being} was ended, so nobody acts as it`)
  if (kind !== 'human')
    throw new TreeosError(
      'FORBIDDEN',
      `only persons act by signal, and @${being} ${kind === undefined ? 'does not exist' : `has cognition ${kind}`}`,
    )
}
