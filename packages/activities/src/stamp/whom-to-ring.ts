import type { BeingName, FactDraft, Json } from '@treeos/core'

/** Kinds of facts after which a being must check its inbox again: they may end a park or a lease. */
const RECHECK_KINDS = new Set(['being:budgeted', 'being:resumed', 'being:released'])

/** Beings whose wake settings, budget or lease an act changed. They get no wake for it, so they are rung. */
export function beingsToRecheck(drafts: readonly FactDraft[]): BeingName[] {
  return drafts
    .filter(
      ({ kind, payload }) =>
        RECHECK_KINDS.has(kind) || (kind === 'quality:set' && (payload.path as Json[])[0] === 'wake'),
    )
    .flatMap(({ reel }) => (reel.startsWith('being:') ? [reel.slice('being:'.length)] : []))
}

/** Beings whose budget an act set. Beings that the old budget parked may run again. */
export function beingsWithNewBudget(drafts: readonly FactDraft[]): BeingName[] {
  return drafts.filter(({ kind }) => kind === 'being:budgeted').map(({ reel }) => reel.slice('being:'.length))
}
