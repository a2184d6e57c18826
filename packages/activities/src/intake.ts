import { enqueue } from '@treeos/chain'
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
import { readerOf } from '@treeos/reality'
import type { BeatDeps } from './deps/beat-deps.ts'

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
    await enqueue(
      deps.db,
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

/** Whoever may send signals could else act as any being. */
async function requireHuman(deps: BeatDeps, being: string): Promise<void> {
  const mind = (await readerOf(deps).being(being))?.cognition.kind
  if (mind !== 'human')
    throw new TreeosError('FORBIDDEN', `only a person acts by signal; @${being} is ${mind ?? 'nobody'}`)
}
