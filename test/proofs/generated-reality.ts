/** A reality that is lived in memory: the law concludes each call over reels, and a bundle of all of it is written as `treeos export` does. */
import { createHash } from 'node:crypto'
import {
  addressesOf,
  approvalOf,
  asJson,
  type Caller,
  canonicalJson,
  type FactDraft,
  type FactHeader,
  type HeadRef,
  holdsCall,
  type Json,
  type JsonObject,
  NO_ASIDE,
  newWake,
  PRIORITIES,
  REGISTRY_REEL,
  type ReelId,
  type SeenHead,
  SPEECH_KIND,
  SUBSTRATE,
  type VerbCall,
  type Wake,
  wakeLabel,
  wakeRecordOf,
} from '@treeos/core'
import { composeRoles, pinStack, type RoleSpec } from '@treeos/roles'
import {
  actDigest,
  buildFacts,
  digestOf,
  genesisHash,
  headsBeyond,
  judgedDigest,
  newBasis,
} from '@treeos/store'
import { momentHash, saltedHash, valueHash } from '@treeos/verify/parts'
import {
  type BeingRow,
  buildRegistry,
  conclude,
  type DecidedMoment,
  driverOf,
  type Extension,
  genesisFacts,
  isActLike,
  LAW,
  type LiveQuestions,
  manifestOf,
  momentCognition,
  momentInputsOf,
  nothingLive,
  openTime,
  PROMPT_LAYOUT,
  ReelHistory,
  type Registry,
  type Row,
  readWorld,
  rowsAtHeads,
  seed,
  WorldReader,
} from '@treeos/world'
import { summed } from './bundle-lines.ts'

const MIND_MS = 3
const lost = () => ({ error: new Error('nothing is erased here'), until: Number.POSITIVE_INFINITY })

interface Chain {
  seq: number
  hash: string
}

/** Whether a look shows catalogs, which are not kept here. */
const isOfCatalogs = (call: VerbCall): boolean =>
  call.verb === 'see' && addressesOf(call).some((address) => address.endsWith('@role-manager'))

/** What became of a step. */
export interface LivedMoment {
  readonly moment: string
  readonly outcome: string
  readonly reason: string | null
  readonly by: readonly string[]
}

export class GeneratedReality {
  readonly id: string
  readonly registry: Registry
  now = Date.UTC(2026, 10, 2, 9)
  readonly #reels = new Map<ReelId, ReelHistory>()
  readonly #heads = new Map<ReelId, Chain>()
  readonly #moments = new Map<string, Chain>()
  readonly #last = new Map<string, { sealedAt: number; primary: string }>()
  readonly #facts: JsonObject[] = []
  readonly #lines: JsonObject[] = []
  readonly #contents = new Map<string, Json>()
  readonly #used = new Set<string>()
  /** all entries of inboxes, by their ids */
  readonly entries = new Map<string, Wake>()
  /** those that nobody has lived, by being */
  readonly waiting = new Map<string, Wake[]>()
  readonly #verbs = new Map<string, { verb: string; kind: string }>()
  readonly #code: string
  #salts = 0

  constructor(id: string, extensions: readonly Extension[]) {
    const hex = createHash('sha256').update(id).digest('hex')
    this.id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
    this.registry = buildRegistry([seed, ...extensions])
    this.#code = this.#keep(asJson(manifestOf(this.registry, digestOf)))
    const roles = [...this.registry.roles.values()].map(({ spec, origin }): FactDraft => {
      const digest = this.#keep(asJson(spec))
      return {
        reel: REGISTRY_REEL,
        kind: 'role:set',
        payload: { name: spec.name, digest, origin, spec: asJson(spec) },
      }
    })
    this.writeUnlived([...genesisFacts(), ...roles])
  }

  #keep(content: Json): string {
    const digest = valueHash(content as never)
    this.#contents.set(digest, content)
    return digest
  }

  /** The same salts in each run, so that a seed gives the same bytes. */
  #salt(): string {
    this.#salts += 1
    return createHash('sha256').update(`${this.id} ${this.#salts}`).digest('hex')
  }

  head(reel: ReelId): Chain {
    return this.#heads.get(reel) ?? { seq: 0, hash: genesisHash(this.id, reel).toString('hex') }
  }

  row<R extends Row>(key: string): R | null {
    const reel = key.startsWith('role:') ? REGISTRY_REEL : key
    return (this.#reels.get(reel)?.rowAt(key, this.head(reel).seq) ?? null) as R | null
  }

  /** Keys of all rows of a kind that have facts. */
  named(kind: string): string[] {
    return [...this.#heads.keys()]
      .flatMap((reel) => (reel.startsWith(kind) ? [reel.slice(kind.length)] : []))
      .sort()
  }

  /** What SEE shows as `seen` of a row. */
  digestOf(row: Json): string {
    return digestOf(row)
  }

  /** Facts that no moment wrote. */
  writeUnlived(drafts: readonly FactDraft[]): void {
    const by = { actor: SUBSTRATE, driver: null, moment: null, cause: null, at: this.now, stack: null }
    this.#append(drafts, by)
  }

  #append(drafts: readonly FactDraft[], by: Parameters<typeof buildFacts>[2]) {
    const heads = new Map<ReelId, SeenHead>()
    for (const { reel } of drafts) heads.set(reel, { reel, ...this.head(reel), stateSeq: 0 })
    const built = buildFacts(heads, drafts, by)
    for (const [i, { ref, prev, header, salt, bytes }] of built.entries()) {
      const head = JSON.parse(header.toString()) as FactHeader
      const payload = JSON.parse(bytes.toString())
      const history = this.#reels.get(ref.reel) ?? new ReelHistory(lost)
      this.#reels.set(ref.reel, history)
      history.take({ header: head, payload, hash: ref.hash } as never)
      this.#heads.set(ref.reel, { seq: ref.seq, hash: ref.hash })
      const { reel, seq, hash } = ref
      const line = {
        kind: 'fact',
        reel,
        seq,
        prev: prev.toString('hex'),
        hash,
        header: asJson(head),
        salt: salt.toString('hex'),
        payload,
      }
      this.#facts.push(line as unknown as JsonObject)
      if (drafts[i]?.kind === 'role:set') this.#contents.set(String(payload.digest), payload.spec)
    }
    return built
  }

  #reader(): WorldReader {
    const heads = [...this.#heads].map(([reel, { seq, hash }]): HeadRef => [reel, seq, hash])
    const empty = new ReelHistory(lost)
    const reels = {
      ready: (reel: ReelId) => this.#reels.get(reel) ?? empty,
      load: async (reel: ReelId) => this.#reels.get(reel) ?? empty,
    }
    const rows = rowsAtHeads(heads, reels, async (reel) => this.head(reel))
    const blob = (digest: string) => this.#contents.get(digest) ?? null
    return new WorldReader({ ...rows, blob, aside: NO_ASIDE })
  }

  /** Puts an entry into an inbox. */
  send(wake: Wake): void {
    if (this.entries.has(wake.id)) return
    this.entries.set(wake.id, wake)
    const being = this.row<BeingRow>(`being:${wake.being}`)
    const isOfPerson = being?.cognition.kind === 'human' && wake.kind !== 'act' && approvalOf(wake) === null
    if (!isOfPerson) this.waiting.set(wake.being, [...(this.waiting.get(wake.being) ?? []), wake])
  }

  /**
   * Lives one moment of a being.
   * @param lease under which a driver acts
   * @returns null where its flow gives no stack
   */
  async live(being: string, wake: Wake, call: VerbCall): Promise<LivedMoment | null> {
    this.now += 1000
    this.entries.set(wake.id, wake)
    this.waiting.set(
      being,
      (this.waiting.get(being) ?? []).filter(({ id }) => id !== wake.id),
    )
    const content = wake.content as JsonObject | null
    const lease = holdsCall(wake)
      ? ((content?.lease ?? null) as { driver: string; epoch: number } | null)
      : null
    const reader = this.#reader()
    const me = await reader.being(being)
    if (me === null) throw new Error(`there is no @${being}`)
    const driver = driverOf(me, lease)
    if (driver !== null) await reader.being(driver)
    const last = this.#last.get(being) ?? null
    const cognition = momentCognition(me, driver)
    const answered =
      wake.kind === 'act' && typeof content?.answers === 'string'
        ? this.entries.get(content.answers)
        : undefined
    const asker = this.#verbs.get(approvalOf(wake) ?? '')
    const opening = {
      ...this.#verbOf(wake, answered, call),
      ...openTime(this.now, 'UTC'),
      ...{ cognition, lastSealed: last, asked: (answered ?? wake).askedRole, wake },
      answers: answered?.id ?? wake.answers ?? null,
      ...(asker === undefined ? {} : { verb: asker.verb, caller: wake.caller, asKind: asker.kind }),
    }
    const seen = await readWorld(reader, this.registry, momentInputsOf(me, opening as never))
    if (seen.result.skip !== undefined || seen.face === null) return null
    const n = (this.#moments.get(being)?.seq ?? 0) + 1
    const moment = `${being}/1/${n}`
    const { basis, digest, noted } = newBasis(
      seen.basis,
      Object.keys(seen.aside).length === 0 ? {} : { aside: seen.aside },
    )
    const program = this.#keep(asJson(seen.program))
    const open = {
      ...{
        v: 1,
        moment,
        n,
        wake: wakeRecordOf(wake),
        answers: opening.answers,
        verb: opening.verb,
        caller: opening.caller,
      },
      ...openTime(this.now, 'UTC'),
      ...{ cognition, driver, lastSealed: last, asked: opening.asked, program, context: seen.context },
      ...{
        heads: seen.heads,
        basis: digest,
        layout: PROMPT_LAYOUT,
        code: this.#code,
        face: valueHash(seen.face as never),
      },
      ...(asker === undefined ? {} : { asKind: asker.kind }),
      ...(me.ended === undefined ? {} : { ended: true as const }),
      ...(driver !== null && me.inhabited?.own === true ? { own: true } : {}),
      ...(seen.isPlaceHidden ? { hidden: true } : {}),
      ...(seen.outside ? { outside: true as const } : {}),
      ...(seen.orientation === null ? {} : { orientation: seen.orientation }),
      ...(seen.shadow === null ? {} : { shadow: seen.shadow }),
      ...(seen.triedOutside.length === 0 ? {} : { triedOutside: seen.triedOutside }),
      ...(noted === null ? {} : { noted }),
    }
    this.#verbs.set(moment, { verb: opening.verb, kind: opening.asKind ?? wakeLabel(wake) })
    const stack = pinStack(seen.program, seen.result)
    const specs = [stack.primary, ...stack.stacked].map(
      ({ digest: of }) => this.#contents.get(of) as unknown as RoleSpec,
    )
    const { canBe, canDo, canSee, canSummon } = seen.face.surface
    const surface = { canBe, canDo, canSee, canSummon }
    const isModels = open.cognition.kind === 'llm' && !holdsCall(open.wake)
    const model = { asked: 'small', named: 'small-2026', settings: { temperature: 0 } }
    const decision = { kind: 'call', call, content: null, ...(isModels ? { model } : {}) } as const
    const decided = {
      ...{ being, open, content: wake.content, decision },
      worn: { stack, surface, role: composeRoles(specs.map((spec) => ({ spec, prompt: '' }))) },
    } as unknown as DecidedMoment
    const judging = this.#reader()
    const over = {
      reader: judging,
      live: this.#live(),
      registry: this.registry,
      digest: digestOf,
      asksDryRun: true,
      ...(isOfCatalogs(call) ? { goesOn: false } : {}),
    }
    const concluded = await conclude(decided, over as never)
    if (concluded.kind === 'effect-pending') throw new Error('no operation here has an effect')
    const cited = new Map(seen.basis.map(([reel, seq]) => [reel, seq]))
    const judgedHeads = (concluded.judged ?? []).map(({ reel, seq, hash }): HeadRef => [reel, seq, hash])
    const judged = headsBeyond(cited, judgedHeads)
    const by = {
      actor: being,
      driver,
      moment,
      cause: wake.cause,
      at: this.now,
      stack: valueHash(stack as never),
    }
    const facts = this.#append(concluded.facts, by)
    const salt = this.#salt()
    const sealedAt = this.now + MIND_MS
    const decisionHash = saltedHash(salt, decision as never)
    const hashes = facts.map(({ ref }) => ref.hash)
    const { kind: outcome, reason, sends } = concluded
    const record = {
      ...{
        v: 1,
        law: LAW,
        being,
        moment,
        n,
        wake: wake.id,
        openedAt: this.now,
        sealedAt,
        open: digestOf(open as never),
      },
      ...{ stack, stackDigest: valueHash(stack as never), surfaceDigest: valueHash(surface as never) },
      ...{ promptDigest: valueHash('prompt'), decision: decisionHash, outcome, reason, by: concluded.by },
      act: outcome === 'act' ? actDigest({ moment, decision: decisionHash, facts: hashes }) : null,
      facts: facts.map(({ ref }): HeadRef => [ref.reel, ref.seq, ref.hash]),
      judged: judged.length === 0 ? null : judgedDigest(basis.salt, cited.keys(), judged),
      ...(concluded.beside === undefined ? {} : { beside: concluded.beside }),
      ...(concluded.shadow === undefined ? {} : { shadow: concluded.shadow }),
    }
    const before = this.#moments.get(being) ?? {
      seq: 0,
      hash: genesisHash(this.id, `moments:${being}`).toString('hex'),
    }
    const hash = momentHash(before.hash, record as never)
    this.#moments.set(being, { seq: n, hash })
    const beyond = judged.length === 0 ? null : judged
    this.#lines.push({
      ...{
        kind: 'moment',
        being,
        n,
        prev: before.hash,
        hash,
        record,
        open,
        basis: seen.basis,
        judged: beyond,
      },
      ...{ basisSalt: basis.salt, noted: basis.noted, decision, salt, effect: null },
    } as unknown as JsonObject)
    for (const used of [program, this.#code, ...[stack.primary, ...stack.stacked].map((role) => role.digest)])
      this.#used.add(used)
    if (outcome === 'act') this.#last.set(being, { sealedAt, primary: stack.primary.name })
    const isOutside = seen.outside || concluded.act?.fromOutside === true
    const speech = facts.find(({ ref }) => ref.kind === SPEECH_KIND)
    for (const said of sends.said)
      this.send({
        ...said,
        cause: speech?.ref.hash ?? null,
        ...(isOutside ? { outside: true as const } : {}),
      })
    for (const sent of [...sends.asks, ...sends.goesOn])
      this.send({ ...sent, ...(isOutside ? { outside: true as const } : {}) })
    if (isActLike(concluded)) this.now += 1000
    return { moment, outcome, reason, by: concluded.by }
  }

  #verbOf(wake: Wake, answered: Wake | undefined, call: VerbCall): { verb: string; caller: Caller | null } {
    if (wake.kind !== 'act') return { verb: 'summon', caller: wake.caller }
    return answered === undefined
      ? { verb: call.verb, caller: null }
      : { verb: 'summon', caller: answered.caller }
  }

  #live(): LiveQuestions {
    const entry = async (id: string) => {
      const found = this.entries.get(id)
      return found === undefined ? null : { ...found, closedBy: null }
    }
    return nothingLive({
      entry,
    })
  }

  /**
   * A wake as a schedule makes it, with words from outside where that is asked for.
   * @param name of the schedule, a slash, and when it was due
   */
  event(being: string, name: string, isOutside: boolean): Wake {
    const content = { event: 'schedule', name }
    const wake = newWake({
      id: `schedule/${being}/${name}`,
      being,
      kind: 'event',
      priority: PRIORITIES.background,
      content,
    })
    return isOutside ? { ...wake, outside: true } : wake
  }

  /** The lines of a bundle of everything, without sums. */
  lines(): JsonObject[] {
    const heads = [
      ...this.#heads,
      ...[...this.#moments].map(([being, chain]) => [`moments:${being}`, chain] as const),
    ]
    const blobs = [...this.#used]
      .sort()
      .map((digest) => ({ kind: 'blob', digest, content: this.#contents.get(digest) ?? null }))
    return [
      { kind: 'manifest', format: 'treeos.bundle.v1', reality: this.id, scope: { all: true }, at: this.now },
      ...heads.map(([reel, { seq, hash }]) => ({
        ...{ kind: 'head', reel, from: 0, prev: genesisHash(this.id, reel).toString('hex'), seq, hash },
      })),
      ...this.#facts,
      ...blobs,
      ...this.#lines,
    ]
  }
}

/** A bundle of these lines, with true numbers, counts and sums. */
export const bundleOf = (lines: readonly JsonObject[]): Buffer =>
  summed([...lines, { kind: 'end', counts: {} }].map((line) => canonicalJson({ ...line, line: 0 })))

/** A copy of plain JSON, which a forgery may change. */
export const copyOf = (lines: readonly JsonObject[]): JsonObject[] => JSON.parse(canonicalJson(lines))
