import {
  type BeingName,
  type Caller,
  type ErrorCode,
  type FactDraft,
  type Json,
  type MomentId,
  type OwedAnswer,
  type Thread,
  type Wake,
  wakeLabel,
} from '@treeos/core'
import type { ComposedRole, RoleSpec } from '@treeos/roles'
import type { EffectCall, EffectGiven } from '../extend/effect.ts'
import type { DecideInput, WakeView } from '../extend/extension.ts'
import type { Registry } from '../extend/registry.ts'
import type { ShadowVerdict } from '../gates/refusal.ts'
import type { WorldReader } from '../read/reader.ts'
import type { Surface } from '../rows/lists.ts'
import type { BeingRow } from '../rows/rows.ts'
import type { Catalogs } from './catalogs.ts'
import type { Consent, ConsentTerms } from './consent/consent.ts'
import type { Descriptor } from './descriptor.ts'

/**
 * Everything a call is decided from. Rows are read through the reader, so that the commit can check what was
 * read.
 */
export interface ActInputs {
  readonly reader: WorldReader
  readonly registry: Registry
  readonly moment: MomentId
  /** ms since 1970 UTC */
  readonly openedAt: number
  readonly me: BeingRow
  readonly caller: Caller
  /** the maker that drives it in this moment; null when it decides for itself */
  readonly driver: BeingName | null
  readonly surface: Surface
  /** the wake that opened the moment; for a person's reply, the wake that it answers */
  readonly wake: Wake
  /** the moment holds words from outside */
  readonly fromOutside: boolean
  /** depth of the moment in the cause chain; 0 for a person's act, which begins its own */
  readonly hops: number
  /** settings of the primary role for answers, and for what follows */
  readonly role: Pick<ComposedRole, 'respondMode' | 'selfContinue' | 'steps'>
  /** id of a summon that this act makes */
  readonly correlation: string
  readonly digest: (value: Json) => string
  /**
   * the being that woke the moment, as it was when it spoke; null without one, or when its moment is not
   * known
   */
  readonly asker: () => Promise<Asker | null>
  /** an entry of an inbox by its id; null when there is none */
  readonly question: (id: string) => Promise<Wake | null>
  /** a thread by its id; null when there is none */
  readonly thread: (id: string) => Promise<Thread | null>
  /** result of an effect; null while it is not done */
  readonly outside: (call: EffectCall) => Promise<EffectGiven | null>
  /** what a yes to its call is bound to; null where a call cannot wait for one */
  readonly asking: ConsentTerms | null
  /** is told the name of each operation of an extension that is run; left out where nobody asks */
  readonly onCode?: (operation: string) => void
  /** collects where dry-run rules would have decided differently; left out where they are not asked */
  readonly shadows?: ShadowVerdict[]
  /** what the moment has still to answer, and to whom; for a call that a person chose, what it answers; null for none */
  readonly owed: OwedAnswer | null
  /** whose answers the being has got of those that it asked for that */
  readonly heard: readonly BeingName[]
  /** the current catalogs for authors of roles and flows */
  readonly catalogs: () => Promise<Catalogs>
}

/** One call that is decided, with what rules ask about it. */
export interface CallInputs extends ActInputs {
  readonly consent: Consent
}

/** All an operation is given, except what the runtime adds when it decides. */
export type GivenInput = Omit<DecideInput, 'effect' | 'known' | 'carryOut' | 'carriedBy'>

/** The wake of a moment, as an operation sees it. */
export const wakeView = (wake: Wake): WakeView => ({
  correlation: wake.id,
  kind: wakeLabel(wake),
  root: wake.root,
  verb: wake.kind === 'act' ? 'do' : 'summon',
  from: wake.caller?.name ?? null,
  callerCognition: wake.caller?.cognition ?? null,
  content: wake.content,
  inReplyTo: wake.inReplyTo,
  expectReply: wake.expectReply !== false,
  outside: wake.outside === true,
})

/** A being as it was when it spoke. */
export interface Asker {
  /** its expanded lists */
  readonly surface: Surface
  /** its driver */
  readonly driver: BeingName | null
  /** the being that lent it reach: its driver, unless the lease lent none */
  readonly lender: BeingName | null
}

/** A call that passed both gates: facts and wakes to commit; none for a SEE. */
export interface Act {
  readonly kind: 'act'
  readonly facts: readonly FactDraft[]
  readonly wakes: readonly Wake[]
  readonly closes: readonly string[]
  readonly result: Json
  readonly specs: readonly RoleSpec[]
  /** what a SEE shows of each address, in their order; null for other verbs */
  readonly seen: readonly SeenAddress[] | null
  /** true: the being does not go on by itself after it */
  readonly rests?: true
  /** an effect of it was done outside already; left out for none */
  readonly isDoneOutside?: true
  /** what it wrote and said holds words from outside; left out where nothing does */
  readonly fromOutside?: true
  /** null when the call was done as it was asked */
  readonly remark: Remark | null
  /** the rules that allowed it: list entry, rule of a space, then those that allowed it to the asker */
  readonly by: readonly string[]
}

/** What a SEE shows of one address, or why it shows nothing. */
export type SeenAddress = { readonly address: string } & (
  | { readonly show: () => Promise<Descriptor> }
  | { readonly refused: { readonly code: ErrorCode; readonly message: string } }
)

/** An act that changes nothing, to begin one from. */
export const NOTHING_DONE: Act = {
  kind: 'act',
  facts: [],
  wakes: [],
  closes: [],
  result: null,
  specs: [],
  seen: null,
  remark: null,
  by: [],
}

/** A note that is recorded with an outcome. */
export interface Remark {
  /** a short name */
  readonly reason: string
  readonly detail: string
}
