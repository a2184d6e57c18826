import { approvalReel, asJson, type FactDraft, isSameJson, type MomentId, type VerbCall } from '@treeos/core'
import type { AskedRules } from '../../gates/refusal.ts'
import { yesHoldsUntil } from '../../rows/approvals.ts'
import type { ApprovalRow, Ties } from '../../rows/rows.ts'
import type { ActInputs } from '../act-inputs.ts'
import type { ConsentTerms } from './consent.ts'
import { changed, voided } from './refusals.ts'
import { tiesOf } from './ties.ts'
import { stillAsked } from './whom.ts'

/**
 * @throws {TreeosError} FORBIDDEN unless the yes that the moment brings is to this call, as it is decided now
 */
export async function requireYes(
  call: VerbCall,
  at: ActInputs,
  {
    row,
    asking,
    asked,
  }: {
    readonly row: ApprovalRow | null
    readonly asking: ConsentTerms
    readonly asked: readonly AskedRules[]
  },
): Promise<void> {
  const isOwn = row !== null && row.asker === at.me.name && row.state === 'given'
  if (!isOwn) throw voided(asking.approval, `it is ${row?.state ?? 'not there'}, and a yes is used once`)
  if (at.openedAt > yesHoldsUntil(row)) throw voided(row.id, 'it came too long ago')
  const now = await tiesOf(call, at, asking, asked)
  for (const tie of Object.keys(now) as (keyof Ties)[])
    if (now[tie] !== row.ties[tie]) throw changed(row.id, tie)
  // Whom the rules ask follows from them: what was written when it was asked counts only as far as it says the same.
  if (!isSameJson(asJson(await stillAsked(at, asked)), asJson(row.rules))) throw changed(row.id, 'rules')
}

/** The fact that a yes is over without an act. */
export const voidedFact = (id: MomentId, why: { readonly code: string }): FactDraft => ({
  reel: approvalReel(id),
  kind: 'approval:voided',
  payload: { code: why.code },
})
