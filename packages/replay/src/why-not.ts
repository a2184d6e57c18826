import { type BeingName, stanceOf, TreeosError, type VerbCall } from '@treeos/core'
import { contentHeard } from '@treeos/reality'
import { type Db, findEntry, findOpen, findOutcomeByNumber, readBases, wholeOpen } from '@treeos/store'
import { type Registry, type WhyNotAllowed, whyNotAllowed } from '@treeos/world'
import { lawOfPast, wornIn } from './conclude-past.ts'
import { PastStates } from './past-states.ts'
import { recomputeMoment } from './recompute.ts'

export type { WhyNotAllowed }

/**
 * The smallest change of permissions under which a moment would have been allowed a call, in the world as the
 * moment saw it. What the moment did not read is taken as it was when it opened. Calls no model and writes
 * nothing.
 * @throws {TreeosError} MOMENT_NOT_FOUND, also when the moment wore no role
 */
export async function whyNotAct(
  { db, registry }: { readonly db: Db; readonly registry: Registry },
  { being, n, call }: { readonly being: BeingName; readonly n: number; readonly call: VerbCall },
): Promise<WhyNotAllowed> {
  const notFound = (what: string) =>
    new TreeosError('MOMENT_NOT_FOUND', `moment ${n} of ${stanceOf(being)} ${what}`)
  const outcome = await findOutcomeByNumber(db, being, n)
  if (outcome === null) throw notFound('does not exist, or is not finished')
  const stored = await findOpen(db, outcome.moment)
  if (stored === null) throw notFound('was never opened')
  const open = wholeOpen(stored)
  const basis = (await readBases(db, [outcome.moment])).get(outcome.moment)?.heads ?? []
  const source = new PastStates(db).citedOrSealedBy(basis, open.openedAt, { being, ...open })
  const content = (await findEntry(db, open.wake.id))?.content ?? null
  const past = await recomputeMoment(registry, outcome, { open, content }, source)
  const worn = wornIn(past)
  if (worn === null) throw notFound('wore no role, so it could do nothing; ask with --role first')
  const moment = { being, open, content: contentHeard(open, past.seen.face, content), worn }
  return whyNotAllowed(call, { moment, source, over: lawOfPast({ db, registry }, open) })
}
