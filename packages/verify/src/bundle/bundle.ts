import { at, isArray, isObject, type Json, type JsonObject, same } from '../canonical.ts'
import { readCheckpoint, type SignedCheckpoint } from '../checkpoint.ts'
import type { WrittenFact } from '../due/due-fact.ts'
import { faultOfFacts } from '../due/fault-of-facts.ts'
import { hasForm, isPayloadOf } from '../forms/forms.ts'
import { faultsOfForm } from '../forms/forms-of-moment.ts'
import { factHash, genesisHash, isHash, momentHash, saltedHash, valueHash } from '../hash.ts'
import { isHeaderOf } from '../header.ts'
import { type Head, type Heads, wholeHeads } from '../heads.ts'
import { isKnownLaw, whyUnjudged } from '../law.ts'
import { citedBy, faultsOfMoment, faultsOfOutcome, goneFrom, type Moment, namedContents } from '../moment.ts'
import { MomentReads } from '../moment-reads.ts'
import { MomentlessFacts } from '../momentless.ts'
import { faultsOfOrigin, holdsOutside, Origins } from '../origin.ts'
import { Passkeys } from '../passkeys.ts'
import { quorumFaults, trustedPolicy, type WitnessPolicy } from '../policy.ts'
import { type CheckOptions, checkStatus } from '../status.ts'
import { ageFaults, type TimeOptions } from '../times.ts'
import { faultOfYes, yesBroughtBy } from './brought-yes.ts'
import { BundleLaw } from './bundle-law.ts'
import type { BundleReport } from './bundle-report.ts'
import { type BrokenPlace, causesIn, type FoundFault } from './causes.ts'
import { type ChainLinks, OtherHistory } from './chain-links.ts'
import { CitedFacts } from './cited-facts.ts'
import {
  type BundleCover,
  type Chain,
  coveredBy,
  mayBegin,
  missingFrom,
  momentsOf,
  readScope,
  refOf,
  takeProof,
  uncoveredIn,
} from './cover.ts'
import { deriveOpened, type LastAct } from './derive-opened.ts'
import { Erasures } from './erasures.ts'
import { readLines } from './lines.ts'
import {
  type CheckedMoment,
  FIRST_CHECKS,
  KnownMoments,
  LAST_CHECKS,
  type MomentCheck,
  type Surroundings,
} from './moment-checks.ts'
import { Signings } from './signings.ts'

type FaultPlace = Pick<BrokenPlace, 'line' | 'reel' | 'seq'>

/** A moment of which the functions that live moments are asked. */
interface MomentToDerive {
  readonly moment: Moment
  readonly noted: Json
  readonly lastAct: LastAct | null | undefined
  readonly basis: readonly Head[]
  /** null where its parts do not fit together, so that its call is not judged */
  readonly judgedFrom: Heads | null
  readonly written: readonly WrittenFact[]
  /** spec of its primary role; null where that is not here */
  readonly role: Json
}

/** The kinds of lines in their order, each with its fields, sorted. Another field would be something that nobody checks. */
const FIELDS: Readonly<Record<string, string>> = {
  manifest: 'at format kind line reality scope sum',
  head: 'from hash kind line prev reel seq sum',
  fact: 'hash header kind line payload prev reel salt seq sum',
  blob: 'content digest kind line sum',
  moment: 'basis basisSalt being decision effect hash judged kind line n noted open prev record salt sum',
  checkpoint: 'kind line note sum',
  proof: 'in index kind leaf line path sum',
  end: 'counts kind line sum',
}
/** What the headers of all facts of a moment have in common. */
const SAID = ['actor', 'driver', 'cause', 'at', 'stack']
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const KINDS = Object.keys(FIELDS)
const END = KINDS.length - 1
/** The digest of what a moment noted; null when that is nothing. */
const notedHash = (salt: string, noted: Json) => (noted === null ? null : saltedHash(salt, noted))
const objectFields = (value: unknown): string => (isObject(value) ? Object.keys(value).sort().join(' ') : '')

/** Checks one bundle, line by line. */
class BundleCheck {
  readonly #broken: FoundFault[] = []
  readonly #policy: WitnessPolicy | null
  readonly #time: TimeOptions
  readonly #other: OtherHistory | null
  readonly #chains = new Map<string, Chain>()
  /** by reel and number, of facts and moments */
  readonly #hashes = new Map<string, Map<number, string>>()
  readonly #cited = new CitedFacts<FaultPlace>((reel, seq) => this.#hashAt(reel, seq))
  /** the facts that name each moment, by place, and what their headers say of it */
  readonly #wrote = new Map<
    string,
    { readonly facts: Map<string, WrittenFact>; readonly said: readonly Json[] }
  >()
  readonly #passkeys = new Passkeys()
  readonly #origins = new Origins()
  /** number of moments of which it is not known where all their words are from */
  #unsureOrigins = 0
  /** by reel of the approval */
  readonly #lastYes = new Map<string, string>()
  readonly #known = new KnownMoments((reel) => this.#isWhole(reel))
  readonly #lastActs = new Map<string, LastAct>()
  readonly #signings = new Signings()
  /** when the reality was made; null before that is told */
  #madeAt: Json = null
  readonly #momentless = new MomentlessFacts()
  /** facts of its beginning, with their times */
  readonly #first: (readonly [reel: string, seq: number, at: Json])[] = []
  readonly #law = new BundleLaw(
    (reel) => this.#isWhole(reel),
    (digest) => this.#contents.get(digest),
  )
  /** in words, why the law could not be asked about calls, and how many they are */
  readonly #unjudged = new Map<string, number>()
  /** those of them that make the bundle unproven: the law was never asked about these calls */
  readonly #bare = new Set<string>()
  /** in words, which beings might not see the places that their flows read */
  readonly #hidden = new Set<string>()
  /** number of moments whose stack depends on a reel that is not here */
  readonly #missing = new Map<string, number>()
  /** in words, number of moments that an unknown law judged */
  readonly #ofOtherLaws = new Map<string, number>()
  /** the latest time that it tells of, in ms */
  #newest = 0
  readonly #erasures = new Erasures<FaultPlace>()
  /** contents by digest */
  readonly #contents = new Map<string, Json>()
  /** those that no moment has named yet, with their lines */
  readonly #unused = new Map<string, number>()
  readonly #counts: Record<string, number> = {}
  /** the moment of this line */
  #asked: MomentToDerive | null = null
  #at: FaultPlace = { line: 0, reel: 'bundle', seq: 0 }
  #reality = ''
  #scope: BundleCover | null = null
  #stage = 0
  #checkpoint: SignedCheckpoint | null = null

  constructor(policy: WitnessPolicy | null, { beside, ...time }: BundleOptions) {
    this.#policy = policy
    this.#time = time
    this.#other = beside === undefined ? null : new OtherHistory(beside)
  }

  readonly report = (fault: FoundFault): void => void this.#broken.push(fault)

  /** Reports a fault unless something holds. @returns whether it holds */
  #need(
    holds: boolean,
    reason: string,
    what: string,
    place: FaultPlace & Pick<FoundFault, 'on'> = this.#at,
  ): boolean {
    if (!holds) this.report({ ...place, reason, what })
    return holds
  }

  async take(line: number, value: JsonObject): Promise<void> {
    const kind = String(value.kind)
    this.#at = { line, reel: 'bundle', seq: line }
    const stage = KINDS.indexOf(kind)
    const isKnown = FIELDS[kind] === objectFields(value)
    if (!this.#need(isKnown, 'line-mismatch', `a line ${kind} does not have these fields`)) return
    const isInOrder = stage >= this.#stage && (line === 1) === (stage === 0) && this.#stage < END
    this.#need(isInOrder, 'line-mismatch', `a line ${kind} stands after a line ${KINDS[this.#stage]}`)
    this.#stage = stage
    if (stage < END) this.#counts[kind] = (this.#counts[kind] ?? 0) + 1
    this.#takes[kind]?.(value)
    const asked = this.#asked
    this.#asked = null
    if (asked === null) return
    await this.#derive(asked)
    if (asked.judgedFrom !== null) await this.#judge(asked, asked.judgedFrom)
  }

  /** Asks the law about a call whose parts fit together. What follows from its decision alone is compared also where the law cannot be asked. */
  async #judge({ moment, written, role }: MomentToDerive, heads: Heads): Promise<void> {
    const { fault: ofLaw, unproven, isBare } = await this.#law.judge(moment, heads, written)
    const rowOf = (reel: string) => this.#law.knownRow(reel, heads.judgedFrom)
    const ofFacts = ofLaw === null ? faultOfFacts(written, { moment, role, target: null, rowOf }) : null
    const fault = ofFacts === null ? ofLaw : { reason: 'facts-mismatch', what: ofFacts }
    const wrote = isArray(moment.record.facts) ? moment.record.facts : []
    const on = [...heads.judgedFrom.keys(), ...wrote.map((ref) => (isArray(ref) ? String(ref[0]) : ''))]
    if (fault !== null) this.#need(false, fault.reason, fault.what, { ...this.#at, on })
    if (unproven === null) return
    this.#unjudged.set(unproven, (this.#unjudged.get(unproven) ?? 0) + 1)
    if (isBare === true) this.#bare.add(unproven)
  }

  readonly #takes: Readonly<Record<string, (value: JsonObject) => void>> = {
    manifest: ({ format, reality, scope, at: madeAt = null }) => {
      this.#need(format === 'treeos.bundle.v1', 'manifest-mismatch', `its format is ${format}`)
      const isOne = UUID.test(String(reality)) && Number.isSafeInteger(madeAt)
      this.#need(isOne, 'manifest-mismatch', 'its reality is not a UUID, or its time is none')
      this.#reality = String(reality)
      this.#scope = readScope(scope)
      this.#need(
        this.#scope !== null,
        'scope-mismatch',
        'its scope is neither all nor a range of moments of a being',
      )
    },
    head: (value) => this.#head(value),
    fact: (value) => this.#fact(value),
    moment: (value) => this.#moment(value),
    blob: ({ digest, content = null }) => {
      this.#need(valueHash(content) === digest, 'blob-mismatch', 'its content has another digest')
      const isFirst = !this.#contents.has(String(digest))
      this.#need(isFirst, 'blob-mismatch', 'this content is in the bundle twice')
      this.#contents.set(String(digest), content)
      this.#unused.set(String(digest), this.#at.line)
    },
    checkpoint: ({ note }) => this.#note(String(note)),
    proof: (value) => this.#proof(value),
    end: ({ counts }) => {
      const [says, has] = [counts, this.#counts].map((value) => JSON.stringify(value))
      const what = `it tells of ${says}, and there are ${has}`
      this.#need(same(counts, this.#counts), 'end-mismatch', what, { ...this.#at, on: ['all'] })
    },
  }

  #head({ reel, from, seq, hash, prev }: JsonObject): void {
    this.#at = { ...this.#at, reel: String(reel), seq: Number(seq) }
    const isHead = Number.isSafeInteger(from) && Number.isSafeInteger(seq) && isHash(hash) && isHash(prev)
    const isFirst = isHead && !this.#chains.has(String(reel))
    if (!this.#need(isFirst, 'head-mismatch', 'this is not a head, or the second one of its chain')) return
    const begins = from !== 0 || prev === genesisHash(this.#reality, String(reel))
    this.#need(begins, 'prev-mismatch', 'this chain does not begin where the reality and its name say')
    const isInScope = this.#scope === null || mayBegin(this.#scope, String(reel), Number(from))
    this.#need(
      isInScope,
      'scope-mismatch',
      'this chain, or where it begins, is not in the scope of the bundle',
    )
    const [last, end] = [[Number(from), String(prev)] as const, [Number(seq), String(hash)] as const]
    const { line } = this.#at
    this.#chains.set(String(reel), { line, from: last[0], last, end, covered: -1, isEnd: false })
  }

  get #isOfOne(): boolean {
    return this.#scope !== null && 'being' in this.#scope
  }

  readonly #around: Surroundings = {
    reality: () => this.#reality,
    causes: {
      moment: (being, n) => this.#hashAt(`moments:${being}`, n),
      yes: (reel) => this.#lastYes.get(reel),
    },
    contentOf: (digest) => this.#contents.get(digest),
  }

  #check(
    checks: readonly MomentCheck[],
    of: CheckedMoment,
    place?: FaultPlace & Pick<FoundFault, 'on'>,
  ): void {
    for (const { reason, asks, fault } of checks) {
      if (!of[asks]) continue
      const what = fault(of, this.#known, this.#around)
      this.#need(what === null, reason, what ?? '', place)
    }
  }

  #isWhole = (reel: string): boolean => this.#chains.get(reel)?.from === 0 || this.#cited.isWhole(reel)

  #hashAt = (reel: string, seq: unknown): string | undefined => this.#hashes.get(reel)?.get(Number(seq))

  /** Adds a fact or a moment to its chain. @returns whether it has one in the bundle */
  #link(reel: string, seq: number, prev: Json | undefined, hash: string): boolean {
    const known = this.#hashes.get(reel) ?? new Map<number, string>()
    const chain = this.#chains.get(reel)
    const isNumber = this.#need(Number.isSafeInteger(seq), 'seq-gap', 'its number is not a whole number')
    if (isNumber && this.#need(!known.has(seq), 'seq-gap', 'this link of its chain is in the bundle twice')) {
      this.#hashes.set(reel, known.set(seq, hash))
      this.#other?.take(this.#reality, reel, seq, hash)
      const [before, hashBefore] = chain?.last ?? [seq - 1, known.get(seq - 1) ?? prev]
      if (this.#need(seq === before + 1, 'seq-gap', `link ${before + 1} of this chain is due here`))
        this.#need(prev === hashBefore, 'prev-mismatch', 'it does not follow the link before it')
      if (chain !== undefined) chain.last = [seq, hash]
    }
    return chain !== undefined
  }

  #fact({ reel, seq, prev, hash, header = null, payload = null, salt }: JsonObject): void {
    this.#at = { ...this.#at, reel: String(reel), seq: Number(seq) }
    const isHashed = isHash(hash) && isHash(prev) && factHash(prev, header) === hash
    this.#need(isHashed, 'hash-mismatch', 'its hash is not that of its header and the link before it')
    this.#need(
      isHeaderOf(header, reel, seq),
      'header-mismatch',
      'its header is of another place, or has other fields',
    )
    const isGone = salt === null && payload === null
    if (isGone) this.#erasures.lacksPayload(this.#at, header, String(hash))
    const isSaid = isGone || (isHash(salt) && saltedHash(salt, payload) === at(header, 'payloadHash'))
    this.#need(isSaid, 'payload-mismatch', 'its payload is not the one whose digest its header holds')
    const isFormed = isGone || isPayloadOf(String(at(header, 'kind')), payload)
    this.#need(
      isFormed,
      'payload-mismatch',
      `its payload has another form than that of ${at(header, 'kind')}`,
    )
    const isTombstone = this.#erasures.take(header, payload)
    this.#passkeys.take(String(reel), Number(seq), header, payload)
    this.#origins.take(String(reel), Number(seq), header, payload, String(hash))
    if (at(header, 'kind') === 'approval:given') this.#lastYes.set(String(reel), String(hash))
    this.#known.speech.take(header, payload, String(hash))
    this.#known.questions.takeFact(String(reel), Number(seq), header, payload)
    this.#known.reads.takeFact(String(reel), header, payload)
    this.#countFact(header, payload)
    if (isHashed && isSaid && isFormed) this.#law.take(header, payload, String(hash))
    this.#newest = Math.max(this.#newest, Number(at(header, 'at')) || 0)
    this.#takeMomentless(header, isSaid ? payload : null)
    if (this.#link(String(reel), seq as number, prev, String(hash))) return
    this.#need(this.#isOfOne, 'head-mismatch', 'this reel has no head in the bundle')
    const link = { reel: String(reel), seq: Number(seq), prev: prev ?? null, hash: String(hash) }
    this.#cited.takeLoose(this.#reality, link, isTombstone, this.#at)
  }

  /** What no moment wrote is one of the few that TreeOS writes so. */
  #takeMomentless(header: Json, payload: Json): void {
    const [kind, time] = [String(at(header, 'kind')), at(header, 'at') ?? null]
    const found = this.#momentless.take(header, payload)
    const what = `no moment wrote it, and TreeOS writes no ${kind} without one`
    this.#need(found !== null, 'header-mismatch', what)
    if (found === 'first') this.#first.push([this.#at.reel, this.#at.seq, time])
    if (kind === 'reality:made') this.#madeAt ??= time
  }

  /** Facts of one moment say the same of it: who acted, who drove, what caused it, when, and in which stack. */
  #countFact(header: Json, payload: Json): void {
    const moment = at(header, 'moment')
    if (typeof moment !== 'string') return
    const said = SAID.map((field) => at(header, field) ?? null)
    const wrote = this.#wrote.get(moment)
    const isSame = wrote === undefined || same(wrote.said, said)
    this.#need(isSame, 'actor-mismatch', 'another fact of its moment says otherwise who acted, and when')
    const { reel, seq } = this.#at
    const facts = wrote?.facts ?? new Map<string, WrittenFact>()
    facts.set(`${seq} ${reel}`, { reel, kind: String(at(header, 'kind')), payload })
    if (wrote === undefined) this.#wrote.set(moment, { facts, said })
  }

  /** Whether a record may cite this hash: it is not that of another fact in the bundle. */
  #cites(ref: unknown, mustBeHere: boolean): boolean {
    const [reel, seq, hash] = isArray(ref) ? ref : []
    if (seq === 0) return hash === genesisHash(this.#reality, String(reel))
    const found = this.#hashAt(String(reel), seq)
    if (found === undefined) return !mustBeHere && isHash(hash)
    if (found === hash) this.#cited.name(found)
    return found === hash
  }

  #moment({ being, n, prev, hash, record, ...rest }: JsonObject): void {
    const reel = `moments:${being}`
    this.#at = { ...this.#at, reel, seq: Number(n) }
    const isHashed = isHash(hash) && isHash(prev) && momentHash(prev, record ?? null) === hash
    const isOfPlace = at(record, 'being') === being && at(record, 'n') === n
    this.#need(isHashed, 'hash-mismatch', 'its hash is not that of its record and the moment before it')
    this.#need(isOfPlace, 'header-mismatch', 'its record is of another moment')
    const isLinked = this.#link(reel, n as number, prev, String(hash))
    this.#need(isLinked, 'head-mismatch', 'the moments of this being have no head in the bundle')
    if (!isObject(record)) return
    this.#newest = Math.max(this.#newest, Number(record.sealedAt) || 0)
    const { basis = null, judged = null, basisSalt = null, noted = null, ...kept } = rest
    const moment = { record, ...kept } as unknown as Moment
    const name = String(record.moment)
    const heads = wholeHeads({ basis, judged, salt: basisSalt })
    const isKnown = isKnownLaw(record.law)
    const faults = [...faultsOfMoment(moment, heads), ...(isKnown ? faultsOfForm(moment, noted) : [])]
    for (const [reason, what] of faults) this.#need(false, reason, what)
    const role = this.#contents.get(String(at(record.stack, 'primary', 'digest'))) ?? null
    const isFormed = isKnown && faults.length === 0
    const of = { moment, noted, being: String(being), heads, role, isKnown, isFormed }
    this.#check(FIRST_CHECKS, of)
    const isNoted =
      heads === null || notedHash(String(basisSalt), noted) === (at(moment.open, 'noted') ?? null)
    this.#need(isNoted, 'open-mismatch', 'what it noted has another digest than its open record says')
    for (const what of goneFrom(moment)) this.#erasures.lacks(this.#at, what, `being:${being} ${name}`)
    const { facts, cited, shown, cause, digests } = citedBy(moment, { basis, judged, noted })
    const wrote = this.#wrote.get(name)
    const isWritten =
      facts.every((ref) => this.#cites(ref, true)) && facts.length === (wrote?.facts.size ?? 0)
    const reelsOf = (refs: readonly Json[]) => refs.map((ref) => (isArray(ref) ? String(ref[0]) : ''))
    const wrong = { ...this.#at, on: reelsOf(facts) }
    this.#need(isWritten, 'facts-mismatch', 'it names other facts than those that name it', wrong)
    this.#wrote.delete(name)
    const due = [being ?? null, at(moment.open, 'driver') ?? null, at(moment.open, 'wake', 'cause') ?? null]
    const alike = [record.openedAt ?? null, record.stackDigest ?? null]
    const isOwn = wrote === undefined || same(wrote.said, [...due, ...alike])
    const what = 'its facts say otherwise who acted, who drove, what caused it, when, or in which stack'
    this.#need(isOwn, 'actor-mismatch', what)
    const read = { basis: heads?.basis ?? [], passkeys: this.#passkeys, isWhole: this.#isWhole }
    if (isKnown) {
      const isFitting = isWritten && heads !== null && faults.length === 0
      const lastAct = this.#lastActs.get(String(being)) ?? (this.#isWhole(reel) ? null : undefined)
      this.#asked = {
        moment,
        noted,
        lastAct,
        basis: heads?.basis ?? [],
        judgedFrom: isFitting ? heads : null,
        written: facts.flatMap((ref) =>
          isArray(ref) ? (wrote?.facts.get(`${ref[1]} ${ref[0]}`) ?? []) : [],
        ),
        role,
      }
      this.#check(LAST_CHECKS, of, wrong)
    } else {
      const why = whyUnjudged(record.law)
      this.#ofOtherLaws.set(why, (this.#ofOtherLaws.get(why) ?? 0) + 1)
    }
    if (record.outcome === 'act') {
      const primary = at(record.stack, 'primary', 'name') ?? null
      this.#lastActs.set(String(being), { sealedAt: record.sealedAt ?? null, primary })
    }
    const unsigned = this.#signings.take(this.#reality, moment, read)
    if (unsigned !== null)
      this.#need(false, 'signature-mismatch', unsigned.what, { ...this.#at, on: [unsigned.reel] })
    const isSeen = cited.every((ref) => this.#cites(ref, !this.#isOfOne))
    const seen = { ...this.#at, on: reelsOf(cited) }
    this.#need(isSeen, 'basis-mismatch', 'it cites facts that are not those in the bundle', seen)
    this.#cited.name(String(cause))
    this.#cited.require([cause, ...shown])
    if (this.#isOfOne && heads !== null) this.#yes(moment, heads)
    for (const digest of digests) {
      const what = `the content ${digest} is not in the bundle`
      this.#need(this.#contents.has(digest), 'blob-mismatch', what, { ...this.#at, on: [`blob:${digest}`] })
      this.#unused.delete(digest)
    }
    this.#unused.delete(String(record.promptDigest)) // the text of its prompt may be here
    if (!isKnown) return
    for (const [form, digest] of namedContents(moment)) {
      const content = this.#contents.get(String(digest))
      const isFormed = content === undefined || hasForm(form, content)
      this.#need(isFormed, 'blob-mismatch', `the content ${digest} has another form than that of a ${form}`)
    }
  }

  /** Derives the stack of a moment, and what its decision became. */
  async #derive({ moment, basis, noted, lastAct }: MomentToDerive): Promise<void> {
    const { record, open } = moment
    const being = String(record.being)
    const program = this.#contents.get(String(at(open, 'program')))
    const source = this.#law.rowsAt(basis)
    const { faults, missing, hidden, place: of } = await deriveOpened(moment, { source, lastAct, program })
    const { specOf } = this.#law
    const reads = new MomentReads(record, open, { place: of, program, noted, specOf })
    const shown = { origins: this.#origins, isWhole: this.#isWhole, program, noted, reads }
    const place = { ...this.#at, on: basis.map(([reel]) => reel) }
    const outside = holdsOutside(open, basis, shown)
    if (outside === null) this.#unsureOrigins += 1
    for (const [reason, what] of [
      ...faults,
      ...faultsOfOutcome(moment),
      ...faultsOfOrigin(moment, shown, outside),
    ])
      this.#need(false, reason, what, place)
    for (const reel of missing) this.#missing.set(reel, (this.#missing.get(reel) ?? 0) + 1)
    if (hidden !== null) this.#hidden.add(`@${being} might not see ${hidden}`)
  }

  #note(note: string): void {
    try {
      const checkpoint = readCheckpoint(note, this.#policy)
      const isOurs = checkpoint.origin === `treeos/${this.#reality}` && this.#counts.checkpoint === 1
      this.#need(isOurs, 'checkpoint-mismatch', `it is of ${checkpoint.origin}, or the second one`)
      this.#checkpoint = checkpoint
    } catch (error) {
      this.#need(false, 'checkpoint-mismatch', (error as Error).message)
    }
  }

  #proof(proof: JsonObject): void {
    if (this.#checkpoint === null) {
      const isFirst = this.#counts.checkpoint === undefined && this.#counts.proof === 1 // else it is reported
      return void this.#need(!isFirst, 'proof-mismatch', 'it stands without a checkpoint')
    }
    const [reel, seq] = refOf(proof.leaf ?? null)
    this.#at = { ...this.#at, reel, seq: Number(seq) }
    const chain = this.#chains.get(reel)
    const hash =
      this.#hashAt(reel, seq) ?? (chain !== undefined && seq === chain.end[0] ? chain.end[1] : undefined)
    const loose = hash === undefined ? undefined : this.#cited.looseAt(hash)
    takeProof(proof, this.#checkpoint, { chain, loose, hash }, (holds, reason, what) =>
      this.#need(holds, reason, what),
    )
  }

  /** What a bundle of one being holds of the yes that a moment brought: its whole reel, which nobody else names. */
  #yes(moment: Moment, heads: Heads): void {
    this.#cited.takeHeads(heads)
    const reel = yesBroughtBy(moment.open)
    const [, until = 0] = heads.judgedFrom.get(String(reel)) ?? []
    if (reel === null) return
    if (until === 0) {
      const isDone = moment.record.outcome === 'act'
      return void this.#need(!isDone, 'law-mismatch', `it acted by a yes on ${reel}, and did not read it`)
    }
    const last = this.#cited.takeYes(reel, until)
    const row = last === 0 ? null : this.#law.approvalAt(reel, last)
    const isCut = last < until && row?.state !== 'given'
    if (isCut) return void this.#cited.lacksYes(reel)
    const wrong = row === null ? null : faultOfYes(moment, row)
    this.#need(wrong === null, 'law-mismatch', wrong ?? '', { ...this.#at, on: [reel] })
  }

  /** In words, of how many moments what they read does not show where its words are from. */
  *#originsLeftOpen(): Generator<string> {
    if (this.#unsureOrigins > 0)
      yield `where the words of ${this.#unsureOrigins} moments are from: not all that they read is in the bundle`
  }

  #unjudgedCalls(isTold: (why: string) => boolean): string[] {
    return [...this.#unjudged]
      .filter(([why]) => isTold(why))
      .map(([why, count]) => `the permission and the facts of ${count} calls: ${why}`)
  }

  end(line: number): Omit<BundleReport, 'status' | 'ok'> & { readonly uncovered: readonly string[] } {
    this.#at = { line, reel: 'bundle', seq: line }
    this.#need(this.#stage === END, 'end-mismatch', 'the bundle is cut off: its last line is missing')
    for (const [reel, { line, end, last }] of this.#chains) {
      const place = { line, reel, seq: last[0] }
      this.#need(same(last, end), 'head-mismatch', 'its chain does not end as its head says', place)
    }
    for (const place of this.#cited.unnamed())
      this.#need(false, 'unnamed-fact', 'no moment in the bundle names this fact', {
        ...place,
        on: ['moments'],
      })
    for (const { place, what, reel } of this.#erasures.unnamed())
      this.#need(false, `${what}-missing`, 'it is gone, and no tombstone says that it was erased', {
        ...place,
        on: [reel],
      })
    for (const [digest, line] of this.#unused) {
      const place = { line, reel: `blob:${digest}`, seq: 0, on: ['moments'] }
      this.#need(false, 'blob-mismatch', 'no moment names this content', place)
    }
    for (const moment of this.#isOfOne ? [] : this.#wrote.keys())
      this.#need(false, 'facts-mismatch', `facts name ${moment}, which is not here or names others`, {
        ...this.#at,
        on: [momentsOf(String(moment.split('/')[0]))],
      })
    for (const [reel, seq, time] of this.#first)
      this.#need(
        this.#madeAt === null || time === this.#madeAt,
        'facts-mismatch',
        'no moment wrote it, and the reality was made at another time',
        {
          ...{ line, reel, seq },
        },
      )
    const [reality, scope, chains, checkpoint] = [this.#reality, this.#scope, this.#chains, this.#checkpoint]
    const read = { reality, scope, chains, checkpoint, tombstones: this.#cited.tombstones() }
    const here = new Set([...this.#hashes.values()].flatMap((links) => [...links.values()]))
    for (const [reason, what, on] of missingFrom(read))
      this.#need(false, reason, what, { ...this.#at, on: [on] })
    return {
      reels: [...chains.keys()].filter((reel) => !reel.startsWith(momentsOf(''))).length,
      facts: this.#counts.fact ?? 0,
      moments: this.#counts.moment ?? 0,
      scope,
      broken: causesIn(this.#broken),
      checkpoint,
      covered: checkpoint === null ? null : coveredBy(chains.values()),
      erased: this.#erasures.found(),
      uncovered: [
        ...(this.#other?.told(this.#reality) ?? []),
        ...uncoveredIn(read),
        ...this.#cited.absent(here),
        ...this.#signings.uncovered,
        ...this.#unjudgedCalls((why) => this.#bare.has(why)),
        ...[...this.#ofOtherLaws].map(([why, count]) => `${count} moments were ${why}`),
        ...(checkpoint === null ? [] : quorumFaults(checkpoint, this.#policy)),
        ...ageFaults(checkpoint, this.#newest === 0 ? null : this.#newest, this.#time),
      ],
      unproven: [
        ...this.#signings.hidden,
        ...this.#cited.unread(),
        ...this.#originsLeftOpen(),
        ...this.#unjudgedCalls((why) => !this.#bare.has(why)),
        ...[...this.#hidden].map(
          (what) => `that ${what}, whose qualities its flow reads, is said by its records`,
        ),
        ...[...this.#missing].map(
          ([reel, count]) =>
            `the context of ${count} moments: it depends on ${reel}, which is not in the bundle as a whole`,
        ),
        ...(checkpoint === null || this.#policy !== null
          ? []
          : ['no key was given: who signed the checkpoint was not checked']),
      ],
    }
  }
}

export interface BundleOptions extends CheckOptions {
  /** links of another bundle of the same reality, which must not have another history */
  readonly beside?: ChainLinks | undefined
}

/**
 * Checks a bundle. It reads it once and holds a hash for each fact and moment.
 * @param source the bytes of the file
 * @example
 * const { ok, broken, unproven } = await verifyBundle(createReadStream('audit.jsonl'), { key: parseKey(text) })
 */
export async function verifyBundle(
  source: AsyncIterable<Uint8Array>,
  checking: BundleOptions = {},
): Promise<BundleReport> {
  const check = new BundleCheck(trustedPolicy(checking), checking)
  let last = 0
  for await (const { line, value } of readLines(source, check.report)) {
    last = line
    await check.take(line, value)
  }
  const { uncovered, ...found } = check.end(last)
  const { broken, unproven } = found
  const status = checkStatus(broken.length > 0, { uncovered, unproven, strict: checking.strict })
  return { ...found, status, ok: status === 'ok', unproven: [...uncovered, ...unproven] }
}
