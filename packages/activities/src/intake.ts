import {
  actWakeId,
  asJson,
  type Json,
  newWake,
  PRIORITIES,
  parseCall,
  readPath,
  requireContent,
  TreeosError,
} from '@treeos/core'
import type { IntakeInput } from '@treeos/protocol'
import { authorizeActingAs, readerOf } from '@treeos/reality'
import { enqueue, recordRefusalOf } from '@treeos/store'
import type { BeatDeps } from './deps.ts'

/**
 * Turns an act that a person sent as a Temporal signal into an inbox row. The person may act as the same
 * beings as on the command line: as the first operator, and as a being that the operator inhabits, which
 * records the operator as the driver. Refuses every act where the operator did not turn such acts on, and one
 * that the record does not take; that goes to the log only. No caller waits for an answer. So a wrong act
 * goes into the inbox as well: its moment fails and says why, and the person gets a notice.
 */
export async function intake(
  deps: BeatDeps,
  { being, id, act }: IntakeInput,
): Promise<{ accepted: boolean }> {
  try {
    const { signals } = deps
    if (signals === null) throw new TreeosError('FORBIDDEN', 'acts by signal are off: see TREEOS_ACT_SIGNAL')
    // Who may signal holds the credential of Temporal, so it is the person of this instance: the first
    // operator.
    const lease = await authorizeActingAs(deps, being)
    if (lease === null) await requireHuman(deps, being)
    const answers = readPath(act, ['answers'])
    const content = {
      call: asRead(readPath(act, ['call']) ?? act),
      answers: typeof answers === 'string' ? answers : null,
      ...(lease === null ? {} : { lease }),
      isSignal: true,
    }
    await enqueue(
      signals,
      'signal',
      newWake({
        id: actWakeId(id),
        being,
        kind: 'act',
        priority: PRIORITIES.human,
        content: requireContent(content, 'the act'),
        root: id,
      }),
    )
    return { accepted: true }
  } catch (error) {
    if (!(error instanceof TreeosError) && recordRefusalOf(error) === null) throw error
    deps.observe.error('intake', error)
    return { accepted: false }
  }
}

/** The strict call that was meant. What cannot be read stays as it is, and its moment says why it fails. */
function asRead(act: Json): Json {
  try {
    return asJson(parseCall(act))
  } catch (error) {
    if (error instanceof TreeosError) return act
    throw error
  }
}

/**
 * Refuses beings that are not persons. Otherwise anyone who may send Temporal signals could act as any being.
 */
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
