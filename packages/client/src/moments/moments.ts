import {
  addressesOf,
  askerIn,
  type Decision,
  isJsonObject,
  type Json,
  type JsonObject,
  LOOK_PREFIX,
  type LookingBack,
  type MomentId,
  type OutcomeKind,
  type OverlayRecord,
  readPath,
  stanceOf,
  triggerOf,
  type Verb,
  type VerbCall,
  wakeLabel,
} from '@treeos/core'
import { contentHeard } from '@treeos/reality'
import type { InboxEntry, StoredDecision, StoredOpen, StoredOutcome } from '@treeos/store'
import { firstWake, type ShadowVerdict, toldContent } from '@treeos/world'

/** A finished moment as people see it. */
export interface MomentView {
  readonly n: number
  /** ISO 8601, UTC */
  readonly openedAt: string
  readonly verb: Verb | null
  readonly wake: string | null
  /** what woke it; null when a younger life closed the moment, and it has no wake */
  readonly woke: WokenBy | null
  /** what the mind called, whether it was allowed or not; null when it called nothing */
  readonly did: MadeCall | null
  readonly outcome: OutcomeKind
  readonly reason?: string
  readonly message?: string
  readonly primary: string | null
  readonly stacked: readonly string[]
  readonly stackDigest: string | null
  readonly promptDigest: string | null
  /** id of the act, which is in each of its facts; null unless the moment is sealed */
  readonly act: string | null
  readonly actHash: string | null
  /** stance of the driver; left out when the being decided for itself */
  readonly driver?: string
  /** text that came with the decision */
  readonly content?: string
  /** of its model call, without the text; left out without one */
  readonly overlay?: OverlayRecord
  /** what dry-run rules would have said otherwise of its call; left out for nothing */
  readonly shadow?: readonly ShadowVerdict[]
  /** number of the moment in which its model decided again after the refusal; null while that is not over, left out for any other */
  readonly wentOn?: number | null
  /** where it looked; left out for forward */
  readonly orientation?: LookingBack
}

/** Why a moment began. */
export interface WokenBy {
  /** `act` for a person's act; `continue`, `look`, `refused`, … where the being goes on; else the word of a role's `triggerOn`: `message`, `change`, … */
  readonly trigger: string
  /** stance of the being that spoke, or that made the change; null where none did */
  readonly from: string | null
  /**
   * the value that changed, the name of the schedule, or the address that was looked at; left out for other
   * triggers
   */
  readonly what?: string
  /** id of the thread */
  readonly thread: string
}

/** A call of a verb, without what it carried. */
export interface MadeCall {
  readonly verb: Verb
  /** of a `do` or a `be` */
  readonly operation?: string
  /** stance or address; left out where the call named none */
  readonly target?: string
  /** how many more calls the same answer held, none of which was made; left out for none */
  readonly ignoredCalls?: number
}

/** What moments are described by, besides their outcomes. */
export interface AroundMoments {
  readonly opens: ReadonlyMap<MomentId, StoredOpen>
  readonly decisions: ReadonlyMap<MomentId, StoredDecision>
  readonly wakes: ReadonlyMap<string, InboxEntry>
  /** of the refused ones after which a model decides again: the number of the next moment, null while it is not over */
  readonly again: ReadonlyMap<MomentId, number | null>
}

/** A moment as people see it, from its outcome and what was read around it. */
export function describeOutcome(
  { opens, decisions, wakes, again }: AroundMoments,
  outcome: StoredOutcome,
): MomentView {
  const { record } = outcome
  const open = opens.get(outcome.moment) ?? null
  const decision = decisions.get(outcome.moment) ?? null
  const wake = wakes.get(outcome.wake ?? '') ?? null
  const said = decision?.decision.kind === 'failure' ? null : (decision?.decision.content ?? null)
  const wentOn = again.get(outcome.moment)
  const orientation = open?.record.orientation
  const did = decision === null ? null : calledIn(decision.decision, summonedBy(outcome, open, wake))
  return {
    n: outcome.n,
    openedAt: new Date(record.openedAt).toISOString(),
    verb: open?.record.verb ?? null,
    wake: outcome.wake,
    woke: wake === null ? null : wokenBy(wake, open),
    did,
    outcome: outcome.kind,
    ...(outcome.reason === null ? {} : { reason: outcome.reason }),
    ...(outcome.detail === null ? {} : { message: outcome.detail }),
    primary: record.stack?.primary.name ?? null,
    stacked: record.stack?.stacked.map((role) => role.name) ?? [],
    stackDigest: record.stackDigest,
    promptDigest: record.promptDigest,
    act: record.act === null ? null : outcome.moment,
    actHash: record.act,
    ...(open?.record.driver == null ? {} : { driver: stanceOf(open.record.driver) }),
    ...(said === null ? {} : { content: said }),
    ...(record.overlay === undefined ? {} : { overlay: record.overlay }),
    ...(record.shadow === undefined ? {} : { shadow: record.shadow as unknown as ShadowVerdict[] }),
    ...(wentOn === undefined ? {} : { wentOn }),
    ...(orientation === undefined ? {} : { orientation }),
  }
}

/** Tells no more of the wake than its being heard. @param open null where it was never opened */
function wokenBy(wake: InboxEntry, open: StoredOpen | null): WokenBy {
  const { caller, root } = wake
  const heard = open === null ? toldContent(wake) : contentHeard(open.noted, null, wake.content)
  const { wake: first, content } = firstWake(wake, heard)
  const { kind } = first
  const isLook = kind === 'event' && first.id.startsWith(LOOK_PREFIX)
  const trigger = triggerOf(wake) ?? wakeLabel(wake)
  const event = kind === 'event' && isJsonObject(content) ? content : {}
  const actor = typeof event.actor === 'string' ? event.actor : null
  const what = [event.what, event.name, isLook ? lookedAt(event) : null].find(
    (value) => typeof value === 'string',
  )
  return {
    trigger,
    from: caller === null ? actor : stanceOf(caller.name),
    ...(typeof what === 'string' ? { what } : {}),
    thread: root,
  }
}

function lookedAt({ address, addresses, looks }: JsonObject): Json | undefined {
  const named = Array.isArray(looks) ? looks.map((look) => readPath(look, ['address']) ?? '') : addresses
  return Array.isArray(named) ? named.join(' ') : address
}

/** Whom a summon without a target was said to, or would have been: whoever was owed an answer. */
function summonedBy(
  { being, result }: StoredOutcome,
  open: StoredOpen | null,
  wake: InboxEntry | null,
): string | null {
  const to = readPath(result, ['to'])
  if (typeof to === 'string') return to
  const asker = open === null ? (wake?.caller?.name ?? null) : askerIn(open.record, being)
  return asker === null ? null : stanceOf(asker)
}

function calledIn(decision: Decision, summoned: string | null): MadeCall | null {
  if (decision.kind !== 'call') return null
  const { call, ignoredCalls } = decision
  return { ...madeCall(call, summoned), ...(ignoredCalls === undefined ? {} : { ignoredCalls }) }
}

function madeCall(call: VerbCall, summoned: string | null): MadeCall {
  if (call.verb === 'see') return { verb: 'see', target: addressesOf(call).join(' ') }
  if (call.verb === 'be') {
    const { name } = call.operation === 'birth' ? call.args : {}
    return {
      verb: 'be',
      operation: call.operation,
      ...(typeof name === 'string' ? { target: `@${name}` } : {}),
    }
  }
  const target = call.target ?? (call.verb === 'summon' ? summoned : null)
  return {
    verb: call.verb,
    ...(call.verb === 'do' ? { operation: call.operation } : {}),
    ...(target === null ? {} : { target }),
  }
}
