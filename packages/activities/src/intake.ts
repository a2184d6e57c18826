import { enqueue, readRows } from '@treeos/chain'
import { type ActContent, actWakeId, isJsonObject, PRIORITIES, parseCall, TreeosError } from '@treeos/core'
import type { IntakeInput } from '@treeos/protocol'
import { type BeingRow, beingKey } from '@treeos/world'
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
    await requireHuman(deps, being)
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

/** Whoever may send signals could else act as any being. */
async function requireHuman({ db, reality }: BeatDeps, being: string): Promise<void> {
  const [row] = await readRows(db, reality.id, [beingKey(being)])
  const mind = (row?.state as unknown as BeingRow | null)?.cognition.kind
  if (mind !== 'human')
    throw new TreeosError('FORBIDDEN', `only a person acts by signal; @${being} is ${mind ?? 'nobody'}`)
}
