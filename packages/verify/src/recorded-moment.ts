/** A moment as its record tells of it, in the form that the law is asked about. */
import { type Json as CoreJson, holdsCall, type PinnedStack, type VerbCall } from '@treeos/core'
import { composeRoles, type RoleSpec } from '@treeos/roles'
import type { DecidedMoment, OpenedMomentRecord, Surface, WornSurface } from '@treeos/world'
import { at } from './canonical.ts'
import type { Moment } from './moment.ts'

type CallingMoment = DecidedMoment & {
  readonly worn: WornSurface
  readonly decision: Extract<NonNullable<DecidedMoment['decision']>, { kind: 'call' }>
}

export const openIn = ({ open }: Pick<Moment, 'open'>): OpenedMomentRecord =>
  open as unknown as OpenedMomentRecord

/**
 * @param worn the specs of its stack, the primary first, and their lists after expansion
 * @param told what was said by the summon that woke it, and the epoch of the lease that held when it opened
 */
export function recordedMoment(
  { record, open, decision }: Moment,
  { specs, surface }: { readonly specs: readonly RoleSpec[]; readonly surface: Surface },
  told: { readonly said: CoreJson; readonly epoch: number },
): CallingMoment {
  const opened = openIn({ open })
  const call = at(decision, 'call') as unknown as VerbCall
  return {
    being: String(record.being),
    open: opened,
    content: contentOf(opened, call, told),
    worn: {
      stack: record.stack as unknown as PinnedStack,
      surface,
      role: composeRoles(specs.map((spec) => ({ spec, prompt: '' }))),
    },
    decision: { kind: 'call', call, content: null },
    ...(record.effect === undefined ? {} : { hasEffect: true as const }),
  }
}

/**
 * The content of the wake. Where the wake holds the call, it is made from the record; else it is what the
 * summon said.
 */
function contentOf(
  { wake, answers, driver }: OpenedMomentRecord,
  call: VerbCall,
  { said, epoch }: { readonly said: CoreJson; readonly epoch: number },
): CoreJson {
  if (!holdsCall(wake)) return said
  return {
    call: call as unknown as CoreJson,
    ...(answers === null ? {} : { answers }),
    ...(driver === null ? {} : { lease: { driver, epoch } }),
  }
}
