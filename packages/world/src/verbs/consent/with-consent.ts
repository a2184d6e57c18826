import { approvalReel, type FactDraft, stanceOf, TreeosError, type VerbCall } from '@treeos/core'
import type { Act, ActInputs } from '../act-inputs.ts'
import { type CallForConsent, waiting } from './call-for-consent.ts'
import type { Consent, ConsentTerms } from './consent.ts'
import { tooLate } from './refusals.ts'
import { stillAsked } from './whom.ts'
import { requireYes } from './yes.ts'

/**
 * What becomes of a call that was decided: the same, when no rule asks; else it waits, or it is done since
 * its moment brings the yes.
 * @throws {TreeosError} FORBIDDEN for a yes that no longer holds, and for a rule that asks nobody else than
 *   who makes the call
 */
export async function withConsent<Decided extends { readonly kind: string }>(
  call: VerbCall,
  at: ActInputs,
  { asked, listed }: Pick<Consent, 'asked' | 'listed'>,
  decided: Decided,
): Promise<Decided | CallForConsent> {
  const { asking } = at
  if (asking?.approval == null) {
    const open = await stillAsked(at, asked)
    if (open.length === 0) return decided
    if (isDone(decided)) throw tooLate(open)
    const waits = await waiting(call, at, { asking: requireAsking(asking), rules: open, asked })
    return { ...waits, by: [listed, ...waits.by] }
  }
  const row = await at.reader.approval(asking.approval)
  await requireYes(call, at, { row, asking, asked })
  if (row === null || decided.kind !== 'act') return decided
  const { facts, by } = decided as unknown as Act
  const used: FactDraft = {
    reel: approvalReel(row.id),
    kind: 'approval:used',
    payload: { moment: at.moment },
  }
  const yes = row.given.map((one) => `approval ${row.id}: ${stanceOf(one.by)}`)
  return { ...decided, facts: [...facts, used], by: [...by, ...yes] }
}

/** Whether something was done outside already. */
const isDone = (decided: { readonly kind: string }): boolean =>
  decided.kind === 'act' && (decided as unknown as Act).isDoneOutside === true

const requireAsking = (asking: ConsentTerms | null): ConsentTerms => {
  if (asking !== null) return asking
  throw new TreeosError(
    'FORBIDDEN',
    'a rule asks a person first, and only a call of a moment can wait for that',
  )
}
