import {
  APPROVED_PREFIX,
  approvalReel,
  asJson,
  askedBy,
  type BeingName,
  canonicalJson,
  DENIED_PREFIX,
  EXPIRED_PREFIX,
  type Fact,
  heardWith,
  isContinuation,
  isJsonObject,
  isQueuedRead,
  isToSelf,
  type Json,
  LOOK_PREFIX,
  type OwedAnswer,
  parseMomentId,
  questionOf,
  REFUSED_PREFIX,
  readPath,
  SUBSTRATE,
  spaceReel,
  type Wake,
  wakeFields,
  wakeLabel,
  wakeRecordOf,
} from '@treeos/core'
import {
  type Db,
  digestOf,
  findDecision,
  findEntry,
  findOpen,
  findOutcome,
  type InboxEntry,
  type OpenRecord,
  wasLetGo,
} from '@treeos/store'
import {
  ACCEPTED_TOOLS,
  type ApprovalRow,
  actStep,
  changeContent,
  evolve,
  gaveOf,
  type ResumedApproval,
  refusedCall,
  refusedCalls,
  repeatsIn,
  resumedWake,
  SENT_BY,
  STEP_FIELDS,
  signatureOfAct,
} from '@treeos/world'
import type { Comparison } from './comparison.ts'
import type { PastAnswers } from './past-answers.ts'
import type { PastStates } from './past-states.ts'

/**
 * Start of the id of a wake by change; the moment that changed it, or the fact, and the being that is woken
 * follow.
 */
const CHANGE_PREFIX = 'change/'

interface WokenMoment {
  readonly being: BeingName
  readonly open: OpenRecord
  /** null when its inbox row is gone */
  readonly entry: InboxEntry | null
}

/** Compares sender, target, correlation, thread and content of a wake with the fact that caused it. */
export async function compareWake(
  { db, past, answers }: { readonly db: Db; readonly past: PastStates; readonly answers: PastAnswers },
  woken: WokenMoment,
  caused: ReadonlyMap<string, Fact>,
  compare: Comparison,
): Promise<void> {
  const { wake } = woken.open
  compareEntry(woken, compare)
  const { entry, open } = woken
  if (wake.kind === 'act' && entry !== null && entry.content !== null)
    compare.same('signed', asJson(open.signed ?? null), asJson(signatureOfAct(entry)))
  await compareOwed({ db, answers }, woken, compare)
  if (isContinuation(wake)) return compareGoingOn({ db, past }, woken, compare)
  if (wake.kind === 'summon') {
    compareSpeaker(woken, compare)
    return compareSummon(past, woken, compare)
  }
  if (wake.kind === 'event' && wake.id.startsWith(CHANGE_PREFIX)) compareChange(woken, caused, compare)
  await compareOrigin(db, wake, compare)
}

/**
 * What a moment with words from outside sends is marked. One that stands for several changes may be marked by
 * another of them.
 */
async function compareOrigin(db: Db, wake: OpenRecord['wake'], compare: Comparison): Promise<void> {
  const sender = wake.kind === 'event' && wake.outside !== true ? SENT_BY.exec(wake.id)?.[1] : undefined
  if (sender === undefined) return
  const before = await findOpen(db, sender)
  if (before?.record.outside === true) compare.same('outside', false, true)
}

/**
 * The inbox must hold the wake that the moment opened with. One whose thread was cut may have opened a thread
 * of its own.
 */
function compareEntry({ being, open: { wake }, entry }: WokenMoment, compare: Comparison): void {
  if (entry === null) return
  const root = wake.root === entry.id ? entry.id : entry.root
  compare.same('inbox', { being, ...wake }, { being: entry.being, ...wakeRecordOf({ ...entry, root }) })
}

/** A being that summoned itself goes on with what it has still to answer; any other summon goes on from nothing. */
function compareSpeaker({ being, open }: WokenMoment, compare: Comparison): void {
  const { wake, answers, caller, owed } = open
  const isSelf = isToSelf(wake, being)
  compare.same('answers', answers, isSelf ? (owed?.id ?? answers) : null)
  compare.same('caller', asJson(caller), asJson(isSelf ? (owed?.caller ?? null) : wake.caller))
}

/** Compares what a moment has to answer with the moment that it goes on from, and with what its being had answered before. */
async function compareOwed(
  { db, answers }: { readonly db: Db; readonly answers: PastAnswers },
  { being, open }: WokenMoment,
  compare: Comparison,
): Promise<void> {
  const due = await questionOfWake(db, being, open)
  const answer = due === null ? null : await answers.reply(due)
  const isAnswered = answer !== null && isBefore(answer, being, open)
  if (open.owed === undefined && due !== null && (await wasLetGo(db, due.id))) return
  compare.same('owed', asJson(open.owed ?? null), asJson(isAnswered ? null : due))
  const heard = open.owed === undefined ? [] : heardWith(open.wake, answers.heardBefore(open.n), being)
  compare.same('heard', asJson(open.heard ?? []), asJson(heard))
}

/** The question that a wake is about: its own, or that of the moment by which its being asked or goes on. */
async function questionOfWake(db: Db, being: BeingName, { wake }: OpenRecord): Promise<OwedAnswer | null> {
  const isSelf = isToSelf(wake, being)
  if (!isContinuation(wake) && !isSelf && (wake.kind === 'act' || wake.inReplyTo === null))
    return askedBy(wake, being)
  const prior = isContinuation(wake) ? wake.id.slice(wake.id.indexOf('/') + 1) : (wake.inReplyTo ?? wake.id)
  const isAsked = isContinuation(wake) || isSelf || (await findEntry(db, prior))?.inReplyTo === null
  if (!isAsked || parseMomentId(prior).being !== being) return null
  return (await findOpen(db, prior))?.record.owed ?? null
}

function isBefore({ id, at }: InboxEntry, being: BeingName, { n, openedAt }: OpenRecord): boolean {
  const sender = parseMomentId(id)
  return sender.being === being ? sender.n < n : at <= openedAt // a person's answer has an id of its own
}

async function compareSummon(
  past: PastStates,
  { being, open, entry }: WokenMoment,
  compare: Comparison,
): Promise<void> {
  const { wake } = open
  const { caller } = wake
  if (caller === null || wake.cause === null) return compare.differ('caller', asJson(caller), null)
  const cause = await past.find(`being:${caller.name}`, wake.cause)
  if (cause === undefined) return compare.differ('caller', asJson(caller), null)
  compare.same('caller', caller.name, cause.header.actor)
  const said = cause.payload
  if (said === null) {
    const { reel, seq } = cause.header // when it was erased, only who spoke is left
    if ((await past.erasures()).ofFact(reel, seq) === undefined) compare.differ('caused by', wake.cause, null)
    return
  }
  const { role = null, cognition = null } = said
  compare.same('caller', { ...caller }, { name: cause.header.actor, role, cognition })
  const lived: Partial<Wake> = { ...entry, ...wake, being } // the open record does not hold all of it
  for (const [field, { said: name, leftOut = null }] of wakeFields)
    if (name !== undefined) compare.same(field, lived[field] ?? leftOut, said[name] ?? leftOut)
}

function compareChange(
  { open, entry }: WokenMoment,
  caused: ReadonlyMap<string, Fact>,
  compare: Comparison,
): void {
  const cause = caused.get(open.wake.cause ?? '')
  if (cause === undefined) compare.differ('cause', open.wake.cause, null)
  if (cause === undefined || cause.payload === null) return
  const { header, payload } = cause
  const actor = header.actor === SUBSTRATE ? null : header.actor
  const told = changeContent({ reel: header.reel, kind: header.kind, payload }, actor)
  compare.same('content', firstContent(entry?.content ?? null), told)
}

/** A wake that stands for several changes tells of the first one, and how many they are. */
function firstContent(content: Json): Json {
  if (!isJsonObject(content)) return content
  const { changes: _changes, summary: _summary, ...first } = content
  return first
}

/**
 * Compares what a wake by which a being goes on keeps with the moment that it goes on from: its caller, what
 * it is still to answer, and what it says of the act of that moment.
 */
async function compareGoingOn(
  { db, past }: { readonly db: Db; readonly past: PastStates },
  { open, entry }: Pick<WokenMoment, 'open' | 'entry'>,
  compare: Comparison,
): Promise<void> {
  const { wake } = open
  const isLook = wake.id.startsWith(LOOK_PREFIX)
  const isAgain = wake.id.startsWith(REFUSED_PREFIX)
  const prior = wake.id.slice(wake.id.indexOf('/') + 1)
  const before = (await findOpen(db, prior))?.record ?? null
  const question =
    before === null || before.wake.kind === 'act'
      ? (before?.answers ?? null)
      : questionOf(before.wake, before.answers)
  compare.same('caller', open.caller, before?.caller ?? null)
  // What the act, the look or the effect brought adds to it, and is in no record of that moment.
  if (before?.outside === true) compare.same('outside', wake.outside === true, true)
  if (isAgain)
    for (const [field, is, was] of [
      ['refusals', wake.refusals ?? 0, (before?.wake.refusals ?? 0) + 1],
      ['cause', wake.cause, before?.wake.cause ?? null],
      ['orientation', wake.orientation ?? null, before?.wake.orientation ?? null],
    ] as const)
      compare.same(field, is, was)
  const said = isLook || question === null ? null : await findEntry(db, prior) // the moment's own words have its id
  const isAnswered = said !== null && (said.inReplyTo ?? said.answers) === (before?.owed?.id ?? question)
  compare.same('answers', open.answers, isAnswered ? null : question)
  const { content = null } = entry ?? {}
  if (ANSWERED.some((prefix) => wake.id.startsWith(prefix))) {
    if (wake.id.startsWith(APPROVED_PREFIX))
      compare.same('asKind', open.asKind ?? null, before === null ? null : wakeLabel(before.wake))
    return compareAnswered({ db, past }, prior, { open, entry }, compare)
  }
  if (isAgain) return compareRefusal(db, prior, { wake, content }, compare)
  if (isLook || !isJsonObject(content)) return // erased, or what shows a world that no record holds
  const [decided, outcome] = await Promise.all([findDecision(db, prior), findOutcome(db, prior)])
  if (decided?.decision.kind !== 'call' || readPath(content, ['result', 'omitted']) !== undefined) return
  const told = Object.fromEntries(
    STEP_FIELDS.flatMap((field) => (field in content ? [[field, content[field] ?? null]] : [])),
  )
  const { call } = decided.decision
  const result = outcome?.result ?? null
  const refused =
    outcome?.kind === 'failure' ? { code: outcome.reason ?? '', message: outcome.detail ?? '' } : null
  compare.same('did', told, { ...actStep(call, result), ...(refused === null ? {} : { refused }) })
  const was = before === null ? null : await findEntry(db, before.wake.id)
  if (was === null || was.content === null) return // erased
  if (isQueuedRead(wake)) {
    const { call: next = null, queued = [] } = content
    const isNext = isQueuedRead(was)
    const left = isNext ? (readPath(was.content, ['queued']) ?? []) : (decided.decision.reads ?? [])
    compare.same('reads', [next, ...(Array.isArray(queued) ? queued : [])], asJson(left))
    const undeclared = await findUndeclared(past, next, outcome?.sealedAt ?? 0)
    compare.same('reads', undeclared, null)
  }
  const repeats = repeatsIn(was, was.content)
  const digest = digestOf({ call: asJson(call), gave: refused ?? gaveOf(call, result) })
  const times = repeats?.digest === digest ? repeats.times + 1 : 1
  compare.same('same', content.same ?? null, { digest, times })
}

/** The operation of a call that nobody had declared as a read by then, in ms since 1970 UTC; null where somebody had. */
async function findUndeclared(past: PastStates, call: Json, before: number): Promise<Json> {
  const operation = readPath(call, ['operation']) ?? null
  const [server = '', tool = ''] = String(operation).split(/:(.*)/s)
  const root = await past.reel(spaceReel('/'))
  for (let seq = 1; seq <= root.length; seq++) {
    const { header, payload = null } = root.fact(seq) ?? {}
    if (header?.kind !== 'quality:set' || header.at > before) continue
    if (payload === null) return null // erased
    const isOfServer = canonicalJson(payload.path ?? null) === canonicalJson([ACCEPTED_TOOLS, server])
    if (isOfServer && readPath(payload.value, [tool, 'read']) === true) return null
  }
  return operation
}

/** Compares what a wake says of the last refusal with the moment that was refused: a failure, by the same code, of the same call. */
async function compareRefusal(
  db: Db,
  prior: string,
  { wake, content }: { readonly wake: OpenRecord['wake']; readonly content: Json },
  compare: Comparison,
): Promise<void> {
  const [decided, outcome] = await Promise.all([findDecision(db, prior), findOutcome(db, prior)])
  compare.same('refused', outcome?.kind ?? null, 'failure')
  const told = refusedCalls(wake, content).at(-1)
  if (told === undefined || decided === null || outcome === null) return // erased
  const { decision } = decided
  const call = decision.kind === 'call' ? decision.call : null
  const was = refusedCall(call, outcome.reason ?? '', outcome.detail ?? told.message)
  compare.same('refused', asJson(told), asJson(was))
}

const ANSWERED = [APPROVED_PREFIX, DENIED_PREFIX, EXPIRED_PREFIX]
const ENDS: Readonly<Record<string, ResumedApproval['event']>> = {
  'approval:given': 'approved',
  'approval:denied': 'denied',
  'approval:expired': 'expired',
}

/**
 * Compares a wake that tells what was answered to a call with the facts of that: the call, who answered, and
 * what it goes on with.
 */
async function compareAnswered(
  { db, past }: { readonly db: Db; readonly past: PastStates },
  id: string,
  { open, entry }: Pick<WokenMoment, 'open' | 'entry'>,
  compare: Comparison,
): Promise<void> {
  const reel = await past.reel(approvalReel(id))
  let row: ApprovalRow | null = null
  for (let seq = 1; seq <= reel.length; seq++) {
    const fact = reel.fact(seq)
    if (fact === undefined || fact.payload === null) return // it was erased
    const { kind, actor, at } = fact.header
    row = evolve(row, { reel: approvalReel(id), kind, payload: fact.payload, actor, at }) as ApprovalRow
    const event = row.state === 'open' ? undefined : ENDS[kind]
    const asked = event === undefined ? null : await findEntry(db, row.wake)
    if (event === undefined || asked === null) continue
    const { why } = fact.payload
    const told = { row, event, ...(actor === '$reality' ? {} : { by: actor }) }
    const wake = resumedWake(typeof why === 'string' ? { ...told, why } : told, asked)
    compare.same('answered', open.wake.id, wake.id)
    if (entry !== null && entry.content !== null && asked.content !== null)
      compare.same('content', canonicalJson(entry.content), canonicalJson(wake.content))
    return
  }
  compare.differ('answered', open.wake.id, null)
}
