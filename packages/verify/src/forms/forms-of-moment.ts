import { holdsCall, type WakeRecord } from '@treeos/core'
import { at, type Json } from '../canonical.ts'
import type { Moment } from '../moment.ts'
import { faultOfWake } from '../wake.ts'
import { hasForm } from './forms.ts'

const PARTS = ['record', 'open', 'decision', 'effect'] as const

/** Which parts of a moment have another form than a known law gives them. */
export function* faultsOfForm(
  moment: Moment,
  noted: Json = null,
): Generator<readonly [reason: string, what: string]> {
  for (const part of PARTS)
    if (!hasForm(part, moment[part])) yield [`${part}-mismatch`, `its ${part} has another form`]
  if (!hasForm('noted', noted)) yield ['open-mismatch', 'what it noted has another form']
  if (!hasForm('open', moment.open)) return
  const wrong = faultOfWake(
    moment.open,
    String(at(moment.record, 'being')),
    at(moment.record, 'outcome') ?? null,
  )
  if (wrong !== null) yield ['open-mismatch', wrong]
  const foreign = faultOfMind(moment)
  if (foreign !== null) yield ['decision-mismatch', foreign]
}

/** A call that a model decided names the model, and nothing else does. */
function faultOfMind({ open, decision }: Moment): string | null {
  const isModels =
    at(open, 'cognition', 'kind') === 'llm' && !holdsCall(at(open, 'wake') as unknown as WakeRecord)
  const isNamed = at(decision, 'model') !== undefined
  if (isNamed && !isModels) return 'it names a model, and no model decided'
  return isModels && !isNamed && at(decision, 'kind') === 'call'
    ? 'a model decided, and it is not named'
    : null
}
