import {
  type ActContent,
  approvalOf,
  askedBy,
  type BeingName,
  type Caller,
  heardWith,
  holdsCall,
  isContinuation,
  isToSelf,
  type MomentId,
  type OwedAnswer,
  type PinnedStack,
  readPath,
  VERBS,
  type Verb,
  type VerbCall,
  type Wake,
  wakeLabel,
  wakeRecordOf,
} from '@treeos/core'
import { pinStack } from '@treeos/roles'
import {
  type Basis,
  type ClaimedWake,
  type Db,
  digestOf,
  digestOfCanonical,
  findEntry,
  findOpen,
  findOwed,
  type InboxEntry,
  newBasis,
  type OpenRecord,
  type OwedState,
  type PrefetchedWorld,
  type Reality,
} from '@treeos/store'
import {
  driverOf,
  leaseOfAct,
  lenderOf,
  momentCognition,
  momentInputsOf,
  openTime,
  PROMPT_LAYOUT,
  quotesOf,
  type Registry,
  readWorld,
  signatureOfAct,
  WorldReader,
  type WorldReading,
} from '@treeos/world'
import { codeOf } from './code-of.ts'
import type { OpenReality } from './open-reality.ts'
import { UnknownBeingError } from './open-reality.ts'

/**
 * The result of a moment's reading, its open record, and the relationship entries and see-resolvers that
 * failed.
 */
export interface MomentReading extends WorldReading {
  readonly record: OpenRecord
  /** what its flow gives; null for none */
  readonly stack: PinnedStack | null
  /** what is kept beside the record */
  readonly kept: Basis
  readonly faults: readonly { readonly what: string; readonly error: unknown }[]
}

/**
 * Reads the world in the snapshot of one prefetch, and makes the open record of a moment from it.
 * @throws {UnknownBeingError} when no such being lives in this reality
 */
export async function readForMoment(
  { db, reality, registry }: OpenReality & { readonly registry: Registry },
  { being, moment, n }: { readonly being: BeingName; readonly moment: MomentId; readonly n: number },
  wake: ClaimedWake,
  prefetched: PrefetchedWorld,
): Promise<MomentReading> {
  const { lastSealed } = prefetched
  const lease = holdsCall(wake) ? leaseOfAct(wake) : null
  const begun = await beginReading(reality, being, lease, prefetched)
  if (begun === null) throw new UnknownBeingError(`no being ${being} lives in this reality`)
  const { reader, me, time, driver, cognition } = begun
  const answered = await findAnswered(db, wake) // needs no snapshot: the content of an inbox row never changes
  const { owed, unheard, heard } = await owedBy(db, wake)
  const before = approvalOf(wake) === null ? null : await findOpen(db, approvalOf(wake) ?? '')
  const { verb, caller } =
    before === null
      ? verbAndCallerOf(wake, answered ?? owed)
      : { verb: before.record.verb, caller: wake.caller }
  const asKind = before === null ? {} : { asKind: wakeLabel(before.record.wake) }
  const asked = (answered ?? wake).askedRole
  const quotes = quotesOf(wake)
  const signed = wake.kind === 'act' ? signatureOfAct(wake) : null
  const faults: { what: string; error: unknown }[] = []
  const opening = {
    verb,
    caller,
    ...(owed === null ? {} : { owed }),
    ...time,
    cognition,
    lastSealed,
    asked,
    wake,
    answers: answered?.id ?? wake.answers ?? null,
    ...asKind,
    ...(quotes === null ? {} : { quotes }),
    ...(wake.cut ? { cut: true as const } : {}),
  }
  const seen = await readWorld(reader, registry, momentInputsOf(me, opening), (what, error) =>
    faults.push({ what, error }),
  )
  const { basis, ...digests } = newBasis(seen.basis, {
    ...(Object.keys(seen.aside).length === 0 ? {} : { aside: seen.aside }),
    ...(quotes === null ? {} : { quotes: { ...quotes, unseen: seen.unseen } }),
  })
  const record: OpenRecord = {
    v: 1,
    moment,
    n,
    wake: wakeRecordOf(wake),
    answers: opening.answers,
    verb,
    caller,
    ...(owed === null ? {} : { owed }),
    ...(unheard.length === 0 ? {} : { unheard }),
    ...(heard.length === 0 ? {} : { heard }),
    ...time,
    cognition,
    driver,
    lastSealed,
    asked,
    program: digestOf(seen.program),
    context: seen.context,
    heads: seen.heads,
    basis: digests.digest,
    ...(wake.cut ? { cut: true } : {}),
    ...(me.ended === undefined ? {} : { ended: true }),
    ...(driver !== null && lenderOf(me, driver) === null ? { own: true } : {}),
    ...asKind,
    layout: PROMPT_LAYOUT,
    code: codeOf(registry),
    ...(seen.isPlaceHidden ? { hidden: true } : {}),
    ...(signed === null ? {} : { signed }),
    ...(seen.outside ? { outside: true } : {}),
    ...(seen.orientation === null ? {} : { orientation: seen.orientation }),
    ...(seen.shadow === null ? {} : { shadow: seen.shadow }),
    ...(seen.triedOutside.length === 0 ? {} : { triedOutside: seen.triedOutside }),
    ...(digests.noted === null ? {} : { noted: digests.noted }),
    face: seen.faceText === null ? null : digestOfCanonical(seen.faceText),
  }
  const stack = seen.result.skip === undefined ? pinStack(seen.program, seen.result) : null
  return { ...seen, record, stack, kept: basis, faults }
}

/**
 * What every reading begins with. The time never goes behind the last sealed moment.
 * @returns null when no such being lives
 */
export async function beginReading(
  { timeZone }: Pick<Reality, 'timeZone'>,
  being: BeingName,
  lease: ActContent['lease'] | null,
  { source, now, lastSealed }: PrefetchedWorld,
) {
  const reader = new WorldReader(source)
  const me = await reader.being(being)
  if (me === null) return null
  const driver = driverOf(me, lease ?? null)
  if (driver !== null) await reader.being(driver) // who checks the signature of an act looks for its passkeys
  return {
    reader,
    me,
    time: openTime(Math.max(now, lastSealed?.sealedAt ?? 0), timeZone),
    driver,
    cognition: momentCognition(me, driver),
  }
}

/** The summon that a person's act answers; null when the act names none, or one of another being's inbox. */
async function findAnswered(db: Db, wake: Wake): Promise<InboxEntry | null> {
  const correlation = wake.kind === 'act' ? readPath(wake.content, ['answers']) : null
  if (typeof correlation !== 'string') return null
  const entry = await findEntry(db, correlation)
  return entry === null || entry.being !== wake.being || entry.kind === 'act' ? null : entry
}

/**
 * The question that a moment with this wake has to answer, null where it was answered and for a call that a person chose; whom its being
 * asked for it and has not heard, and whom it has heard.
 */
async function owedBy(
  db: Db,
  wake: InboxEntry,
): Promise<Omit<OwedState, 'owed'> & { readonly owed: OwedAnswer | null }> {
  const goesOn = isContinuation(wake) || isToSelf(wake, wake.being)
  const isOfOther = goesOn || wake.inReplyTo !== null
  if (!isOfOther) return { owed: askedBy(wake, wake.being), unheard: [], heard: [] }
  const found = await findOwed(db, wake.id)
  if (found === null) return { owed: null, unheard: [], heard: [] }
  return { ...found, heard: heardWith(wake, found.heard, wake.being) }
}

/**
 * The verb and caller that the flow sees. A reply takes them from the wake that it answers. Another act of a person has its
 * own verb and no caller. Every other wake counts as a summon; one by which a being summoned itself has the caller whom it still has to
 * answer.
 */
export function verbAndCallerOf(
  wake: Pick<Wake, 'kind' | 'being' | 'caller' | 'content'>,
  answered: Pick<Wake, 'caller'> | null,
): { verb: Verb; caller: Caller | null } {
  if (isToSelf(wake, wake.being)) return { verb: 'summon', caller: answered?.caller ?? null }
  if (wake.kind !== 'act') return { verb: 'summon', caller: wake.caller }
  if (answered !== null) return { verb: 'summon', caller: answered.caller }
  const verb = readPath(wake.content, ['call', 'verb']) as VerbCall['verb']
  return { verb: VERBS.includes(verb) ? verb : 'do', caller: null }
}
