/** What the Temporal UI shows of a being: its last moment, and search attributes. */
import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow'
import { COGNITION, ROLE } from '@treeos/protocol/workflow'
import type { Life } from './life.ts'
import { type FinishedMoment, type Rest, stackLabel } from './moment.ts'

/** Shows the last moment. */
export function showStatus(life: Life, { opened, stack, stamped }: FinishedMoment): void {
  const role = stack?.primary.name ?? ''
  life.details =
    `moment #${life.n - 1} · ${stackLabel(stack)} · ${stamped.kind}${stamped.reason === null ? '' : ` (${stamped.reason})`} · ` +
    `${stamped.waiting} waiting`
  setCurrentDetails(life.details)
  upsertChanged([
    { key: COGNITION, value: opened.cognition },
    ...(role === '' ? [] : [{ key: ROLE, value: role }]),
  ])
}

/** Shows who decides for a being at rest, where somebody inhabited it. */
export function showRest({ cognition }: Rest): void {
  if (cognition !== null) upsertChanged([{ key: COGNITION, value: cognition }])
}

/** Upserts search attributes only when they changed, since each upsert is an event. */
function upsertChanged(attributes: readonly { readonly key: typeof ROLE; readonly value: string }[]): void {
  const { typedSearchAttributes } = workflowInfo()
  const changed = attributes.filter(({ key, value }) => typedSearchAttributes.get(key) !== value)
  if (changed.length > 0) upsertSearchAttributes(changed)
}
