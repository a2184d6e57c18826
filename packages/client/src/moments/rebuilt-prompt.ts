import { asJson, type BeingName, type Json, stanceOf, TreeosError } from '@treeos/core'
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
  const { past, stack, composed } = await composedAnew(db, registry, being, n)
  const digest = digestOf(composed.prompt)
  const { promptDigest } = past.outcome.record
  const { moment } = past.outcome
  const read = await readableBy(past, (sealed) => openShown(db, moment, sealed))
  const { prompt } = read === past ? composed : await composeLoaded(db, registry, read, stack)
  const older = past.record.layout < PROMPT_LAYOUT ? { older: true as const } : {}
  return { ...prompt, digest, identical: digest === promptDigest, ...older }
}

/**
 * The text of a prompt as its record holds its digest, with sealed notes as they are stored; null where it cannot be made again.
 * @throws {TreeosError} MOMENT_NOT_FOUND, also when the moment wore no role
 */
export async function recordedPrompt(
  db: Db,
  registry: Registry,
  being: BeingName,
  n: number,
): Promise<Json | null> {
  const { past, composed } = await composedAnew(db, registry, being, n)
  const text = asJson(composed.prompt)
  return digestOf(text) === past.outcome.record.promptDigest ? text : null
}

async function composedAnew(db: Db, registry: Registry, being: BeingName, n: number) {
  const past = await loadPastMoment(db, being, n)
  const { stack } = past.outcome.record
  if (stack === null || past.face === null) {
    throw new TreeosError(
      'MOMENT_NOT_FOUND',
      `moment ${n} of ${stanceOf(being)} wore no role, so it had no prompt`,
    )
  }
  return { past, stack, composed: await composeLoaded(db, registry, past, stack) }
}
