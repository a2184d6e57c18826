import {
  askerIn,
  type BeingName,
  type Caller,
  type Cognition,
  holdsCall,
  type OwedAnswer,
  triggerOf,
  type Verb,
  type Wake,
  wakeLabel,
} from '@treeos/core'
import type { BeingRow } from '../rows/rows.ts'
import type { LastSealed, MomentInputs, OpenTime } from './context.ts'
import type { Quotes } from './wake-quotes.ts'

/** What an open record says of the inputs of its reading. */
export interface RecordedOpening extends OpenTime {
  readonly verb: Verb
  readonly caller: Caller | null
  readonly owed?: OwedAnswer
  readonly cognition: { readonly kind: Cognition }
  readonly lastSealed: LastSealed | null
  readonly asked: string | null
  readonly answers: string | null
  readonly wake: Parameters<typeof wakeLabel>[0] &
    Pick<Wake, 'outside' | 'orientation' | 'caller' | 'hops' | 'expectReply'>
  readonly cut?: true
  /** the word of the wake of the moment that asked, where it brings a yes */
  readonly asKind?: string
  readonly quotes?: Quotes
}

/**
 * The inputs of a reading, taken from an open record. Live moments, replay and the offline verifier use it,
 * so they read alike. The hour and the weekday come from the record, since time-zone tables change.
 */
export function momentInputsOf(
  me: BeingRow,
  open: RecordedOpening,
): MomentInputs & { readonly asker: BeingName | null } {
  const { verb, caller, openedAt, zone, hour, dayOfWeek, offset, lastSealed, asked } = open
  return {
    me,
    cognition: open.cognition.kind,
    verb,
    kind: open.asKind ?? wakeLabel(open.wake),
    caller,
    time: { openedAt, zone, hour, dayOfWeek, offset },
    lastSealed,
    asked,
    trigger: triggerOf(open.wake),
    cut: open.cut === true,
    ended: me.ended !== undefined,
    asker: askerIn(open, me.name),
    quotes: open.quotes ?? null,
    outside: open.wake.outside === true,
    // A moment that a person decides, or that holds its call already, looks forward.
    orientation: open.cognition.kind === 'human' || holdsCall(open.wake) ? 'forward' : open.wake.orientation,
  }
}
