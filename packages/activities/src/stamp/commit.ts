import {
  actDigest,
  append,
  type BuiltFact,
  buildFacts,
  catalogRowsOf,
  countOpen,
  type Db,
  digestOf,
  findEntry,
  type InboxEntry,
  listParkedBy,
  type MomentRecord,
  prefetch,
  putBlob,
  ReadSet,
  threadOf,
} from '@treeos/chain'
import {
  type BeingName,
  correlationFor,
  type Decision,
  type FactDraft,
  type HeadRef,
  isErrorCode,
  isOfThread,
  type Json,
  LIMITS,
  momentsReel,
  quote,
  type ReelId,
  readPath,
  SPEECH_KIND,
  stanceOf,
  TreeosError,
  type Wake,
} from '@treeos/core'
import type { ScheduleRef, StampedMoment, StampInput } from '@treeos/protocol'
import {
  beingKey,
  catalogsOf,
  decideCall,
  foldRows,
  type RowSource,
  requireLease,
  SCHEDULES,
  type ThreadRow,
  threadKey,
  WorldReader,
} from '@treeos/world'
import { askerOf, openerOf } from './asker.ts'
import { isChainFull } from './chain-bound.ts'
import { continueAfter } from './continuing.ts'
import { crashPoint } from './crash-point.ts'
import type { BeatDeps } from './deps.ts'
import type { Ending, Verdict } from './ending.ts'
import { changesOf, failureNotices } from './follow-up.ts'
import { leaseOf } from './look.ts'
import { messageOf } from './message.ts'
import type { LoadedMoment } from './moment.ts'
import { outsideOf } from './outside.ts'
import { park } from './parking.ts'

export type Committed =
  | {
      readonly status: 'stamped'
      readonly stamped: StampedMoment
      readonly ring: readonly BeingName[]
      readonly rescheduled: readonly ScheduleRef[]
    }
  | { readonly status: 'done' }
  | { readonly status: 'stale'; readonly read: ReelId[] }
  | { readonly status: 'superseded'; readonly generation: number }
  /** of a driver's act */
  | { readonly status: 'unleased' }

/** Decides once over the world as it stands, and appends. Whatever was read must still stand when the append looks. */
export async function commit(
  db: Db,
  deps: BeatDeps,
  input: StampInput,
  recorded: LoadedMoment,
  ending: Ending,
): Promise<Committed> {
  const { reality, memory } = deps
  const onlooker = { reality: reality.id, being: input.being }
  const guess = memory.stamped.get(input.being) ?? new ReadSet()
  guess.keys.add(threadKey(recorded.record.wake.root))
  const { source, now, asked } = await prefetch(db, onlooker, guess)
  const loaded = await outlasting(source, recorded)
  const { record: open } = loaded
  const [records] = (await source.rows([momentsReel(input.being)])).map((row) => row.head)
  if (records === undefined) throw new Error(`the records of ${input.being} have no head`)
  const reader = new WorldReader(source)
  await reader.prefetch([beingKey(input.being)])
  const judged = await judge(db, deps, input, loaded, ending, { source, reader })
  const { verdict, ...continued } = await continueAfter(db, input, loaded, ending, {
    reader,
    verdict: judged,
  })
  memory.stamped.set(input.being, asked)
  const sealedAt = Math.max(now, open.openedAt)
  const { breach } = verdict
  const parking = breach === undefined ? null : await park(reader, input, open, breach)
  const acted = verdict.kind === 'act' ? (verdict.act?.facts ?? []) : []
  const drafts = parking === null ? acted : [parking.fact]
  const folded = await foldRows(reader, drafts, { actor: input.being, at: open.openedAt })
  // What writes nothing rests on nothing that could move.
  const read = [...reader.heads].filter(([reel]) => verdict.kind === 'act' || reel === parking?.fact.reel)
  const heads = new Map([...read, [records.reel, records] as const])

  const digests = ending.kind === 'decided' ? ending.composed.digests : null
  const facts = buildFacts(heads, drafts, {
    actor: input.being,
    driver: open.driver,
    moment: input.moment,
    cause: open.wake.cause,
    at: open.openedAt,
    stack: digests?.stack ?? null,
  })
  const written = facts.map(({ ref }): HeadRef => [ref.reel, ref.seq, ref.hash])
  const decision = ending.kind === 'decided' ? ending.digest : null
  const lease = open.driver === null ? null : leaseOf(loaded)
  const act =
    verdict.kind === 'act'
      ? actDigest({ moment: input.moment, decision: decision ?? '', facts: facts.map(({ ref }) => ref.hash) })
      : null
  const record: MomentRecord = {
    v: 1,
    being: input.being,
    moment: input.moment,
    n: input.n,
    wake: open.wake.id,
    openedAt: open.openedAt,
    sealedAt,
    open: digestOf(recorded.record),
    stack: ending.kind === 'decided' ? ending.stack : null,
    stackDigest: digests?.stack ?? null,
    surfaceDigest: digests?.surface ?? null,
    promptDigest: digests?.prompt ?? null,
    decision,
    outcome: verdict.kind,
    reason: verdict.reason,
    by: verdict.act?.by ?? verdict.by ?? [],
    act,
    facts: written,
  }
  const wakes = [
    ...causedBy(verdict.kind === 'act' ? (verdict.act?.wakes ?? []) : [], facts),
    ...(await withRoom(db, [
      ...failureNotices(input, open, verdict, parking?.notice.being ?? null),
      ...continued.notices,
    ])),
    ...(parking === null ? [] : [parking.notice]),
    ...continued.wakes,
  ]
  for (const spec of verdict.act?.specs ?? []) await putBlob(db, spec)
  crashPoint('stamp:before-append')
  const answer = await append(db, {
    reality: reality.id,
    moment: { id: input.moment, being: input.being, generation: input.generation },
    heads,
    facts,
    rows: folded.map((row) => ({ ...row, foldedSeq: facts[row.draft]?.ref.seq ?? 0 })),
    inbox: wakes,
    changes: changesOf(folded, drafts, facts, input.being, open),
    closes: verdict.act?.closes ?? verdict.closes ?? [],
    outcome: {
      n: input.n,
      kind: verdict.kind,
      reason: verdict.reason,
      detail: verdict.detail,
      result: verdict.kind === 'act' ? (verdict.act?.result ?? null) : null,
      wake: open.wake.id,
      sealedAt,
      primaryRole: ending.kind === 'decided' ? ending.stack.primary.name : null,
      record,
    },
    ...(lease === null || verdict.kind !== 'act' ? {} : { lease: lease.epoch }),
  })
  if (answer.status === 'appended') crashPoint('stamp:after-append')
  if (answer.status === 'stale') return { status: 'stale', read: [...heads.keys()] }
  if (answer.status !== 'appended') return answer
  const freed = await listParkedBy(db, rebudgeted(drafts), FREED_MAX)
  return {
    status: 'stamped',
    ring: [...new Set([...wakes.map((wake) => wake.being), ...answer.woken, ...told(drafts), ...freed])],
    rescheduled: rescheduled(drafts),
    stamped: {
      moment: input.moment,
      kind: verdict.kind,
      reason: verdict.reason,
      stack: record.stackDigest,
      surface: record.surfaceDigest,
      prompt: record.promptDigest,
      act,
      record: answer.recordHash ?? '',
      heads: written,
      waiting: answer.waiting,
    },
  }
}

/** Beings whose wake settings or budget an act changed: they look, and nothing wakes them for it. */
function told(drafts: readonly FactDraft[]): BeingName[] {
  return drafts
    .filter(
      ({ kind, payload }) =>
        FREEING_KINDS.has(kind) || (kind === 'quality:set' && (payload.path as Json[])[0] === 'wake'),
    )
    .flatMap(({ reel }) => (reel.startsWith('being:') ? [reel.slice('being:'.length)] : []))
}

/** Schedules that an act set or ended. */
function rescheduled(drafts: readonly FactDraft[]): ScheduleRef[] {
  return drafts.flatMap(({ reel, kind, payload }): ScheduleRef[] => {
    const [namespace, name] = kind === 'quality:set' ? (payload.path as string[]) : []
    if (namespace !== SCHEDULES || name === undefined || !reel.startsWith('being:')) return []
    return [{ being: reel.slice('being:'.length), name }]
  })
}
/** The sweep rings the rest. */
const FREED_MAX = 1000

/** Beings whose budget was set anew: it parks nobody any more. */
function rebudgeted(drafts: readonly FactDraft[]): BeingName[] {
  return drafts.filter(({ kind }) => kind === 'being:budgeted').map(({ reel }) => reel.slice('being:'.length))
}

/** After these a being looks what it may do now. */
const FREEING_KINDS = new Set(['being:budgeted', 'being:resumed', 'being:released'])

/** Turns an ending into an outcome: a call that either gate refuses is a failure, and writes nothing. */
async function judge(
  db: Db,
  deps: BeatDeps,
  input: StampInput,
  loaded: LoadedMoment,
  ending: Ending,
  { source, reader }: { source: RowSource; reader: WorldReader },
): Promise<Verdict> {
  if (ending.kind === 'skipped')
    return { kind: 'skipped', reason: ending.reason, detail: whySkipped(loaded), act: null }
  const { decision } = ending
  const { missing } = ending.composed
  if (missing !== null)
    return failed(
      'ROLE_UNAVAILABLE',
      `role ${missing} needs code that is not loaded in this worker: is its extension gone?`,
    )
  if (decision.kind === 'see') return { kind: 'see', reason: null, detail: null, act: null }
  if (decision.kind === 'failure')
    return { ...failed(decision.code, decision.message), ...breachOf(decision) }
  const me = await reader.being(input.being)
  if (me === null || loaded.face === null) return failed('INTERNAL', 'the being or its face is gone')
  try {
    if (loaded.record.wake.kind === 'act') requireLease(me, leaseOf(loaded), loaded.record.driver)
    const wake = await wakeToAnswer(db, input, loaded)
    const cut = await cutOf(source, wake.root)
    if (cut !== null) {
      const why = `its thread, ${cut.thread}, was cut by ${stanceOf(cut.cutBy)}`
      // What slipped in beside the cut must not rest in a person's inbox for ever.
      return {
        ...failed('RESOURCE_CONFLICT', why),
        untold: true,
        closes: 'closedBy' in wake ? [wake.id] : [],
      }
    }
    requireUnanswered(wake)
    const act = await decideCall(decision.call, {
      reader,
      registry: deps.registry,
      moment: input.moment,
      me,
      caller: { name: me.name, role: ending.stack.primary.name, cognition: loaded.record.cognition.kind },
      driver: loaded.record.driver,
      surface: loaded.face.surface,
      wake,
      hops: loaded.record.wake.kind === 'act' ? 0 : loaded.record.wake.hops,
      role: ending.composed.role,
      correlation: correlationFor(loaded.record.wake, input.moment),
      digest: digestOf,
      asker: () => askerOf(db, wake),
      outside: (call) => outsideOf(db, input.moment, call),
      opener: () => openerOf(db, wake),
      thread: (id) => threadOf(db, id),
      catalogs: () => catalogsOf(deps.registry, catalogRowsOf(db)),
    })
    for (const wake of act.wakes) await requireRoom(db, wake)
    const { reason, detail } = act.remark ?? { reason: null, detail: null }
    return { kind: decision.call.verb === 'see' ? 'see' : 'act', reason, detail, act }
  } catch (error) {
    if (!(error instanceof TreeosError)) throw error
    const by = readPath(error.detail, ['by'])
    return { ...failed(error.code, error.message), ...(typeof by === 'string' ? { by: [by] } : {}) }
  }
}

/**
 * What a mind was still deciding when its thread was cut is dropped. Beside the reader: were it of the basis, every thread
 * would get a reel. What slips through between this look and the commit sends wakes that open nothing.
 */
async function cutOf(source: RowSource, thread: string): Promise<ThreadRow | null> {
  const [row] = await source.rows([threadKey(thread)])
  return (row?.state ?? null) as ThreadRow | null
}

/** A wake by change, hour or silence outlives its thread: what comes of it after the cut is a thread of its own. */
async function outlasting(source: RowSource, loaded: LoadedMoment): Promise<LoadedMoment> {
  const { wake } = loaded.record
  if (isOfThread(wake) || (await cutOf(source, wake.root)) === null) return loaded
  return { ...loaded, record: { ...loaded.record, wake: { ...wake, root: wake.id } } }
}

const breachOf = ({ breach }: Extract<Decision, { kind: 'failure' }>) =>
  breach === undefined ? {} : { breach }

const failed = (code: string, message: string): Verdict => ({
  kind: 'failure',
  reason: isErrorCode(code) ? code : 'INTERNAL',
  detail: messageOf(message),
  act: null,
})

/** A role that it names and that is registered no more, or not yet: its extension may be gone. */
function whySkipped({ program }: LoadedMoment): string | null {
  const named = new Set(program.flow.map(({ role }) => role).concat(program.defaultRole ?? []))
  const gone = [...named].filter((role) => typeof role === 'string' && !Object.hasOwn(program.roles, role))
  return gone.length === 0
    ? null
    : `it would wear ${gone.join(', ')}, which is not registered: is its extension gone?`
}

/** A person's reply acts in the place of the wake it answers. */
async function wakeToAnswer(
  db: Db,
  input: StampInput,
  { record, content }: LoadedMoment,
): Promise<Wake | InboxEntry> {
  const own: Wake = { ...record.wake, being: input.being, content }
  const named = record.wake.kind === 'act' ? readPath(content, ['answers']) : null
  if (typeof named !== 'string') return own
  const entry = record.answers === null ? null : await findEntry(db, record.answers)
  if (entry === null) {
    throw new TreeosError(
      'CORRELATION_NOT_FOUND',
      `no summon ${quote(named)} lies in the inbox of ${stanceOf(input.being)}`,
    )
  }
  return entry
}

function requireUnanswered(wake: Wake | InboxEntry): void {
  if ('closedBy' in wake && wake.closedBy !== null)
    throw new TreeosError('RESOURCE_CONFLICT', `the summon ${quote(wake.id)} was answered before`)
}

/** Notices fill only a part of an inbox, so that answers always find room; the moment itself says it all the same. */
async function withRoom(db: Db, notices: readonly Wake[]): Promise<Wake[]> {
  const room = await Promise.all(notices.map(({ being }) => countOpen(db, being)))
  return notices.filter((_, i) => (room[i] ?? 0) < LIMITS.noticesMax)
}

async function requireRoom(db: Db, { id, being, root }: Wake): Promise<void> {
  const open = await countOpen(db, being)
  if (open >= LIMITS.inboxLengthMax) {
    throw new TreeosError(
      'RATE_LIMITED',
      `the inbox of ${stanceOf(being)} holds ${open}, at most ${LIMITS.inboxLengthMax} may wait`,
    )
  }
  if (root !== id && (await isChainFull(db, root))) {
    throw new TreeosError(
      'RATE_LIMITED',
      `${LIMITS.chainWakesMax} wakes came of ${quote(root)} already, at most that many may`,
    )
  }
}

/** A wake cites the fact that caused it. */
function causedBy(wakes: readonly Wake[], facts: readonly BuiltFact[]): Wake[] {
  const speech = facts.find((fact) => fact.ref.kind === SPEECH_KIND)
  return wakes.map((wake) => ({ ...wake, cause: speech?.ref.hash ?? null }))
}
