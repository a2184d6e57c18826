import { type BeingName, stanceOf, TreeosError } from '@treeos/core'
import { composeLoaded, readableBy } from '@treeos/reality'
import { type Db, digestOf, openShown } from '@treeos/store'
import { PROMPT_LAYOUT, type Registry } from '@treeos/world'
import { loadPastMoment } from './past-moment.ts'

export interface RebuiltPrompt {
  readonly system: string
  readonly user: string
  readonly digest: string
  /** true when the rebuilt prompt has the recorded digest */
  readonly identical: boolean
  /** an older version wrote the recorded prompt, in another form; left out when this version did */
  readonly older?: true
}

/**
 * Rebuilds the prompt of a past moment from its pinned specs and face, and compares it with the recorded
 * digest. Notes that its mind read are shown as it read them; the digest is over what is recorded of them.
 * @throws {TreeosError} MOMENT_NOT_FOUND, also when the moment wore no role
 */
export async function prompt(
  db: Db,
  registry: Registry,
  being: BeingName,
  n: number,
): Promise<RebuiltPrompt> {
  const past = await loadPastMoment(db, being, n)
  const { stack, promptDigest } = past.outcome.record
  if (stack === null || past.face === null) {
    throw new TreeosError(
      'MOMENT_NOT_FOUND',
      `moment ${n} of ${stanceOf(being)} wore no role, so it had no prompt`,
    )
  }
  const composed = await composeLoaded(db, registry, past, stack)
  const digest = digestOf(composed.prompt)
  const { moment } = past.outcome
  const read = await readableBy(past, (sealed) => openShown(db, moment, sealed))
  const { prompt } = read === past ? composed : await composeLoaded(db, registry, read, stack)
  const older = past.record.layout < PROMPT_LAYOUT ? { older: true as const } : {}
  return { ...prompt, digest, identical: digest === promptDigest, ...older }
}
