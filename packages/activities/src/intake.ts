import { enqueue } from '@treeos/chain'
import { type ActContent, actWakeId, isJsonObject, PRIORITIES, parseCall, TreeosError } from '@treeos/core'
import type { IntakeInput } from './beats.ts'
import type { BeatDeps } from './deps.ts'

/**
 * Turns an act that a person sent as a Temporal signal into an inbox row. What cannot be read is refused; nobody waits for
 * an answer here, so the refusal is told to the log only.
 */
export async function intake(
  deps: BeatDeps,
  { being, id, act }: IntakeInput,
): Promise<{ accepted: boolean }> {
  try {
    const content: ActContent = {
      call: parseCall(isJsonObject(act) && 'call' in act ? act.call : act),
      answers: typeof act.answers === 'string' ? act.answers : null,
    }
    await enqueue(deps.db, {
      id: actWakeId(id),
      being,
      kind: 'act',
      priority: PRIORITIES.human,
      caller: null,
      content: content as never,
      root: id,
      inReplyTo: null,
      askedRole: null,
      hops: 0,
      continues: 0,
      cause: null,
    })
    return { accepted: true }
  } catch (error) {
    if (!(error instanceof TreeosError)) throw error
    deps.observe.error('intake', error)
    return { accepted: false }
  }
}
