import type { BuiltFact, Change, OpenRecord } from '@treeos/chain'
import {
  type BeingName,
  type FactDraft,
  type JsonObject,
  LIMITS,
  newWake,
  PRIORITIES,
  stanceOf,
  type Wake,
} from '@treeos/core'
import type { StampInput } from '@treeos/protocol'
import { changeContent, type FoldedRow, OPERATOR } from '@treeos/world'
import type { Verdict } from './verdict.ts'

/** A wake of the being's own: verb `summon`, no caller, its content says what happened and who did it. */
export function eventWake(
  being: BeingName,
  id: string,
  content: JsonObject,
  after: OpenRecord['wake'],
): Wake {
  return newWake({
    id,
    being,
    kind: 'event',
    priority: PRIORITIES.background,
    content,
    root: after.root,
    hops: after.hops + 1,
  })
}

/**
 * A failed or skipped moment tells whoever asked, and the operator; nothing is tried again behind their back. A person's
 * own act tells nobody: the person is looking at it. Nor does what a role leaves unopened on purpose. A being's own wake
 * tells the operator alone. Whoever has to approve that a parked being goes on hears it from the parking alone.
 * @param approver null when the being is not parked
 */
export function failureNotices(
  input: StampInput,
  open: OpenRecord,
  verdict: Pick<Verdict, 'kind' | 'reason' | 'detail' | 'sendsNoNotice'>,
  approver: BeingName | null,
): Wake[] {
  if (verdict.kind !== 'failure' && verdict.kind !== 'skipped') return []
  if (verdict.sendsNoNotice || verdict.reason === 'not-triggered' || verdict.reason === 'thread-cut')
    return [] // it was meant so
  if (open.wake.kind === 'act' || open.wake.hops >= LIMITS.hopsMax) return []
  const asker = open.wake.caller?.name ?? null
  const content = {
    event: verdict.kind,
    actor: stanceOf(input.being),
    correlation: open.wake.id,
    code: verdict.reason,
    message: verdict.detail,
  }
  const recipients = new Set<BeingName>(approver === null ? [OPERATOR] : [])
  if (asker !== null) recipients.add(asker)
  recipients.delete(input.being)
  if (approver !== null) recipients.delete(approver)
  return [...recipients].map((being) =>
    eventWake(being, `notice/${input.moment}/${being}`, content, open.wake),
  )
}

/** What an act changed that others may watch, with the wake it is to them. A chain of causes ends where summons do. */
export function changesOf(
  rows: readonly FoldedRow[],
  drafts: readonly FactDraft[],
  facts: readonly BuiltFact[],
  actor: BeingName,
  open: OpenRecord,
): Change[] {
  if (open.wake.hops >= LIMITS.hopsMax) return []
  return rows.flatMap(({ reel, scopes, changed, values, draft }): Change[] => {
    const fact = drafts[draft]
    if (changed.length === 0 || fact === undefined) return []
    const wake = {
      content: changeContent(fact, actor),
      priority: PRIORITIES.background,
      root: open.wake.root,
      hops: open.wake.hops + 1,
      cause: facts[draft]?.ref.hash ?? null,
    }
    return [{ reel, scopes, paths: changed, values, wake }]
  })
}
