/** Judges the acts of a bundle by the law that the worker asked, over the facts of the bundle alone. */
import {
  askerIn,
  type Json as CoreJson,
  type Fact,
  type FactDraft,
  type FactHeader,
  type HeadRef,
  isOfThread,
  NO_ASIDE,
  newWake,
  type PinnedStack,
  PRIORITIES,
  type Thread,
  type Wake,
} from '@treeos/core'
import type { RoleSpec } from '@treeos/roles'
import {
  type ApprovalRow,
  areFacts,
  askGates,
  COUNTED_KIND,
  type CodeManifest,
  type Conclusion,
  conclude,
  differencesFrom,
  factsIn,
  type LiveQuestions,
  nothingLive,
  pastLive,
  type RecordedEnd,
  type Registry,
  type RowSource,
  registryFrom,
  rowsAtHeads,
  type Surface,
  seed,
  surfaceOf,
  WorldReader,
} from '@treeos/world'
import { at, isArray, isObject, type Json, type JsonObject } from '../canonical.ts'
import { type KnownRow, knownOf } from '../due/call-to-derive.ts'
import type { WrittenFact } from '../due/due-fact.ts'
import { valueHash } from '../hash.ts'
import type { Head, Heads } from '../heads.ts'
import { MissingReel, NotShownError } from '../missing-reel.ts'
import { type Moment, whyNotLoaded } from '../moment.ts'
import { openIn, recordedMoment } from '../recorded-moment.ts'
import { BundleReels } from './bundle-reels.ts'

/** What the law said of the call of a moment. */
export interface LawFinding {
  /** what contradicts its record; null where nothing does */
  readonly fault: { readonly reason: 'law-mismatch' | 'facts-mismatch'; readonly what: string } | null
  /** why the law could not be asked, in words; null where it was, and for a moment without a call */
  readonly unproven: string | null
  /** nothing but its record says that the law was not asked either when it was lived: the bundle is unproven */
  readonly isBare?: true
}

const NOTHING: LawFinding = { fault: null, unproven: null }
const unproven = (why: string): LawFinding => ({ fault: null, unproven: why })
const fault = (what: string, reason: 'law-mismatch' | 'facts-mismatch' = 'law-mismatch'): LawFinding => ({
  fault: { reason, what },
  unproven: null,
})

const GONE = 'what they depend on was erased, or is not in the bundle'
const FACTS_OF_CODE = 'both gates were asked, and what code of an extension did is said by their records'

/** A content that the bundle does not hold. */
class MissingContent extends NotShownError {}

/** A reel that the law reads and the moment did not. */
class UncitedReel extends Error {}

/** What the being wore, with the epoch of the lease that held then. */
interface WornThere {
  readonly specs: readonly RoleSpec[]
  readonly surface: Surface
  readonly epoch: number
}

export class BundleLaw {
  readonly #reels: BundleReels
  readonly #contents: (digest: string) => Json | undefined
  /** by the digest of the manifest of their code */
  readonly #registries = new Map<string, Registry>()
  /** specs of roles, by digest: the registry reel tells them */
  readonly #specs = new Map<string, Json>()
  /** what was said, by the correlation of the summon */
  readonly #said = new Map<string, Wake>()

  constructor(isWhole: (reel: string) => boolean, contents: (digest: string) => Json | undefined) {
    this.#reels = new BundleReels(isWhole)
    this.#contents = contents
  }

  /** Takes a fact. Its hash and its form are checked elsewhere. */
  take(header: Json, payload: Json, hash: string): void {
    if (!isObject(header)) return
    const fact = { header: header as unknown as FactHeader, payload, hash } as unknown as Fact
    this.#reels.take(fact)
    if (!isObject(payload)) return
    if (header.kind === 'role:set') this.#specs.set(String(payload.digest), payload.spec ?? null)
    if (header.kind === 'being:summoned')
      this.#said.set(String(payload.correlation), wakeSaid(header, payload, hash))
  }

  /** Asks the law what the call of a moment comes to, and compares. @param written the facts that it wrote */
  async judge(
    moment: Moment,
    { basis, judgedFrom }: Heads,
    written: readonly WrittenFact[],
  ): Promise<LawFinding> {
    const { record, decision } = moment
    if (at(decision, 'kind') !== 'call' || record.stack === null) return NOTHING
    if (record.beside !== undefined)
      return unproven('what refused them beside the gates is said by their records')
    if (record.effect !== undefined && moment.effect === null) return unproven(GONE)
    if (record.promptDigest === null) return ofUnloaded(whyNotLoaded(moment, this.specOf))
    if (record.judged === undefined)
      return fault('its record does not say from which heads its call was judged')
    try {
      const registry = this.#registryOf(moment)
      const worn = await this.#worn(moment, registry, basis)
      if ('found' in worn) return worn.found
      return await this.#compare(moment, registry, worn, { heads: [...judgedFrom.values()], written })
    } catch (error) {
      if (error instanceof MissingReel)
        return unproven('they depend on reels that are not in the bundle as a whole')
      if (error instanceof NotShownError) return unproven(GONE)
      const what = error instanceof Error ? error.message : String(error)
      return fault(`the law cannot be asked about its call: ${what}`)
    }
  }

  /** What the extensions defined that judged a moment, without their code. */
  #registryOf({ record, open }: Moment): Registry {
    const digest = String(record.code ?? at(open, 'code'))
    const known =
      this.#registries.get(digest) ?? registryFrom(this.#content(digest) as unknown as CodeManifest, seed)
    this.#registries.set(digest, known)
    return known
  }

  /** What the being wore, with its lists expanded from what it read. @returns what was found where that is not known */
  async #worn(
    { record, open }: Moment,
    registry: Registry,
    basis: readonly Head[],
  ): Promise<WornThere | { readonly found: LawFinding }> {
    const stack = record.stack as unknown as PinnedStack
    const specs = [stack.primary, ...stack.stacked].map(
      ({ digest }) => this.#content(digest) as unknown as RoleSpec,
    )
    const reader = this.#readerAt(basis)
    const me = await reader.being(String(record.being))
    if (me === null) return { found: fault('its being is not there in what it read') }
    const asker = askerIn(openIn({ open }), me.name)
    const isInward = at(open, 'orientation') === 'inward'
    const { surface, dropped } = await surfaceOf(reader, registry, { me, asker, specs }, isInward)
    const lists = {
      canBe: surface.canBe,
      canDo: surface.canDo,
      canSee: surface.canSee,
      canSummon: surface.canSummon,
    }
    if (valueHash(lists as unknown as Json) !== record.surfaceDigest)
      return {
        found:
          dropped.length > 0
            ? unproven('code of an extension expands the lists of their roles')
            : fault('its lists are expanded otherwise than its record says'),
      }
    return { specs, surface, epoch: me.inhabited?.epoch ?? 0 }
  }

  async #compare(
    moment: Moment,
    registry: Registry,
    worn: WornThere,
    { heads, written }: { readonly heads: readonly Head[]; readonly written: readonly WrittenFact[] },
  ): Promise<LawFinding> {
    const { record, open } = moment
    const opened = openIn({ open })
    const recorded: RecordedEnd = {
      outcome: record.outcome as RecordedEnd['outcome'],
      reason: (record.reason ?? null) as string | null,
      by: (record.by ?? []) as unknown as readonly string[],
      shadow: (record.shadow ?? []) as CoreJson,
      facts: written,
    }
    const asked = { isUnsure: false, isOfThread: false, isUnseen: false }
    const judge = (root: string): Promise<Conclusion> => {
      const said = this.#said.get(opened.wake.id)?.content ?? null
      const decided = recordedMoment(moment, worn, { said, epoch: worn.epoch })
      const open = { ...opened, wake: { ...opened.wake, root } }
      const reader = this.#readerAt(heads)
      const live = this.#questions(moment, written, asked)
      return conclude(
        { ...decided, open },
        {
          ...{ reader, live, registry, asksDryRun: true, goesOn: false as const },
          digest: (value) => valueHash(value as Json),
        },
      )
    }
    const first = await judge(opened.wake.root).catch(async (error) => {
      const isUncited = error instanceof UncitedReel
      if (isUncited && (await this.#isRefusedByCode(moment, registry, worn, heads))) return null
      throw error
    })
    if (first === null) return unproven(FACTS_OF_CODE)
    const isOfOwn = !isOfThread(opened.wake) && !areFacts(factsIn(first), recorded.facts)
    const conclusion = isOfOwn ? await judge(opened.wake.id) : first // its thread was cut after it opened
    if (asked.isUnsure) return unproven('what their askers could do when they asked is not in the bundle')
    if (isOfOverlay(moment, registry, conclusion)) return unproven(FACTS_OF_CODE)
    const isOfCode = conclusion.kind !== 'effect-pending' && conclusion.restsOn.code.length > 0
    // A refusal without a rule is that of the operation itself, whose code is not here.
    if (isOfCode && recorded.outcome === 'failure' && recorded.by.length === 0) return unproven(FACTS_OF_CODE)
    const differences = [...differencesFrom(recorded, conclusion)]
    const isOther = differences.some(({ field }) => field !== 'act facts')
    if (asked.isOfThread && (isOther || isOfCode))
      return unproven('what a thread was at that time is in no reel')
    if (asked.isUnseen && isOther) return unproven('what they answer came by no summon that is in the bundle')
    const difference = isOfCode
      ? differences.find(({ field }) => isOfGates(field, recorded, conclusion))
      : differences[0]
    if (difference === undefined) {
      const due = factsIn(conclusion)
      if (!isOfCode) return areFacts(due, written) ? NOTHING : ofFacts(written, due)
      const own = written.filter(({ reel }) => isOfLaw(reel))
      const drafts = due.filter(({ reel }) => isOfLaw(reel))
      if (!areFacts(drafts, own)) return ofFacts(own, drafts)
      // Things of the files that its effect brought: code can write no others on these reels.
      const missing = due.find(
        (fact) => !isOfLaw(fact.reel) && !written.some((one) => areFacts([fact], [one])),
      )
      return missing === undefined ? unproven(FACTS_OF_CODE) : ofFacts(written, [missing])
    }
    const { field, recorded: was, concluded } = difference
    if (field === 'act facts') return ofFacts(written, factsIn(conclusion))
    const [says, gives] = [was, concluded].map((one) => JSON.stringify(one).slice(0, 200))
    return fault(
      `its call comes to another ${field}: its record says ${says}, and the law gives ${gives}${whyOf(conclusion)}`,
    )
  }

  /** Whether both gates allow an operation of an extension that failed by no rule: its code refused before the law read whom rules ask. */
  async #isRefusedByCode(
    moment: Moment,
    registry: Registry,
    worn: WornThere,
    heads: readonly Head[],
  ): Promise<boolean> {
    const { outcome, by } = moment.record
    if (outcome !== 'failure' || (isArray(by) && by.length > 0)) return false
    if (!isOfExtension(moment, registry)) return false
    const decided = recordedMoment(moment, worn, { said: null, epoch: worn.epoch })
    const over = { reader: this.#readerAt(heads), live: nothingLive(), registry }
    const { gates } = await askGates(decided, null, { ...over, digest: (value) => valueHash(value as Json) })
    return gates.every(({ allowed }) => allowed)
  }

  #readerAt(heads: readonly Head[]): WorldReader {
    const uncited = (reel: string) =>
      Promise.reject(new UncitedReel(`its heads do not have ${reel}, which the law reads`))
    return new WorldReader(this.#sourceAt(heads, uncited))
  }

  /** The rows at the heads that a moment read. Reading what is not here throws NotShownError. */
  rowsAt(basis: readonly Head[]): RowSource {
    return this.#sourceAt(basis, (reel) => Promise.reject(new MissingReel(reel)))
  }

  #sourceAt(heads: readonly Head[], uncited: (reel: string) => Promise<never>): RowSource {
    const rows = rowsAtHeads(heads as unknown as HeadRef[], this.#reels, uncited)
    return { ...rows, blob: (digest) => this.#content(digest) as CoreJson, aside: NO_ASIDE }
  }

  /** What is known of the row of a reel where a call was judged from. */
  knownRow(reel: string, heads: Heads['judgedFrom']): KnownRow {
    try {
      const head = heads.get(reel)
      return head === undefined ? {} : knownOf(this.#reels.ready(reel, head[1]).rowAt(reel, head[1]))
    } catch {
      return {} // it is not here as a whole, or a part of it was erased
    }
  }

  /** An approval as it stood at a fact of its reel; null where that is not here as a whole. */
  approvalAt(reel: string, seq: number): ApprovalRow | null {
    try {
      return this.#reels.ready(reel, seq).rowAt(reel, seq) as ApprovalRow | null
    } catch (error) {
      if (error instanceof NotShownError || error instanceof MissingReel) return null
      throw error
    }
  }

  /** The spec of a role; undefined where it is not here. */
  readonly specOf = (digest: string): Json | undefined => this.#contents(digest) ?? this.#specs.get(digest)

  #content(digest: string): Json {
    const found = this.specOf(digest)
    if (found === undefined) throw new MissingContent(`the content ${digest} is not in the bundle`)
    return found
  }

  #questions(
    { effect, record }: Moment,
    written: readonly WrittenFact[],
    asked: { isUnsure: boolean; isOfThread: boolean; isUnseen: boolean },
  ): LiveQuestions {
    const entry = async (id: string) => {
      const found = this.#said.get(id)
      asked.isUnseen ||= found === undefined // acts and events are in inboxes alone
      return found === undefined ? null : { ...found, closedBy: null }
    }
    return pastLive({
      entry,
      asker: async () => {
        asked.isUnsure = true
        return null
      },
      effect: async () =>
        isObject(effect) ? ({ request: effect.request, result: effect.result ?? null } as never) : null,
      // What was done outside counts although the moment fails. By which counts is said by its record.
      heldCounts: async () =>
        written.flatMap(({ reel, kind, payload }) => {
          if (kind !== COUNTED_KIND || !isObject(payload)) return []
          const { failed: _over, ...counted } = payload
          return [{ reel, payload: counted }] as never
        }),
      // Its being has a part in the thread, and it is open: where the record says otherwise, that is not proven.
      thread: async (thread) => {
        asked.isOfThread = true
        return { ...LIVE_THREAD, thread, participants: [String(record.being)] }
      },
    })
  }
}

/** A thread of which something waits. */
const LIVE_THREAD = {
  ...{ state: 'live', wakes: 1, open: 1, acts: 0, depth: 0, began: 0, moved: 0, unanswered: [], notices: [] },
} as const satisfies Omit<Thread, 'thread' | 'participants'>

/** Whether facts on a reel are the law's own also where code of an extension decides: that its call is counted, and what becomes of a yes. */
const isOfLaw = (reel: string): boolean => /^(tally|approval):/.test(reel)

function ofUnloaded(why: ReturnType<typeof whyNotLoaded>): LawFinding {
  if (why === null) return NOTHING
  return 'fault' in why ? fault(why.fault) : { ...unproven(why.unproven), isBare: true }
}

/** Says which facts its record has and which facts the law gives. */
function ofFacts(written: readonly WrittenFact[], drafts: readonly FactDraft[]): LawFinding {
  const told = (facts: readonly Pick<FactDraft, 'reel' | 'kind'>[]) =>
    facts.map(({ reel, kind }) => `${kind} on ${reel}`).join(', ') || 'nothing'
  const of = told(written) === told(drafts) ? `other contents of ${told(drafts)}` : told(drafts)
  return fault(`its call comes to ${of}, and it wrote ${told(written)}`.slice(0, 400), 'facts-mismatch')
}

/** Whether the law refuses an operation of an extension for its overlay alone: no manifest says whether it is a skill or a task, which take one. */
function isOfOverlay(moment: Moment, registry: Registry, conclusion: Conclusion): boolean {
  const isRefused = conclusion.kind === 'failure' && conclusion.reason === 'INVALID_INPUT'
  return isRefused && at(moment.decision, 'call', 'overlay') !== undefined && isOfExtension(moment, registry)
}

function isOfExtension({ decision }: Moment, { operations, beOperations }: Registry): boolean {
  const call = at(decision, 'call')
  const operation = (at(call, 'verb') === 'be' ? beOperations : operations).get(String(at(call, 'operation')))
  return operation !== undefined && operation.origin !== seed.name
}

/** Whether a difference is of what the gates say, which no code of an extension decides. */
function isOfGates(field: string, { outcome, by }: RecordedEnd, conclusion: Conclusion): boolean {
  if (field === 'by' || field === 'shadow') return true
  const isRefusedBy = conclusion.kind === 'failure' && conclusion.by.length > 0
  return field === 'outcome' && (isRefusedBy || (outcome === 'failure' && by.length > 0))
}

/** The wake that the fact of a summon tells of, as far as it does. */
function wakeSaid(header: JsonObject, said: JsonObject, hash: string): Wake {
  const name = String(header.actor)
  const cognition = said.cognition as NonNullable<Wake['caller']>['cognition']
  return newWake({
    id: String(said.correlation),
    being: String(said.to),
    kind: 'summon',
    priority: PRIORITIES.interactive,
    content: (said.content ?? null) as CoreJson,
    caller: { name, role: (said.role ?? null) as string | null, cognition },
    root: String(said.root),
    inReplyTo: (said.inReplyTo ?? null) as string | null,
    cause: hash,
    ...(said.expectReply === false ? { expectReply: false } : {}),
    ...(said.outside === true ? { outside: true } : {}),
  })
}

/** Why the law refuses, in brackets. */
const whyOf = (conclusion: Conclusion): string =>
  conclusion.kind === 'failure' && conclusion.detail !== null ? ` (${conclusion.detail.slice(0, 200)})` : ''
