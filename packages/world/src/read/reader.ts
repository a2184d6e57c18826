import {
  type Aside,
  type AsideSource,
  type BeingName,
  type CitedFact,
  type Digest,
  fromJson,
  frozen,
  type Json,
  type MatterId,
  type MomentId,
  type PastActs,
  type PastFact,
  type RecallAsked,
  type RecalledNotes,
  type ReelId,
  type RoleName,
  readPath,
  type SeenHead,
  type SeenNotes,
  type SpacePath,
} from '@treeos/core'
import type { RoleSpec } from '@treeos/roles'
import { doMeet, isMarked, marksOf, RULES } from '../rows/origin.ts'
import {
  type ApprovalRow,
  approvalKey,
  type BeingRow,
  beingKey,
  type KeyPath,
  type MatterRow,
  matterKey,
  type RoleRow,
  type Row,
  type RowKey,
  type RowOf,
  roleKey,
  type SpaceRow,
  spaceKey,
  type TallyRow,
  type ThreadRow,
  threadKey,
  type WorldRow,
  worldKey,
} from '../rows/rows.ts'
import { once, type Soon } from './soon.ts'

/** What can lie in a place. */
export type KindInPlace = 'being:' | 'space:' | 'matter:'

interface SourceRow {
  readonly key: string
  readonly state: Json | null
  readonly head: SeenHead
}

/**
 * Where rows come from: a snapshot of Postgres for a live moment, the reels up to a recorded basis for
 * replay.
 */
export interface RowSource {
  /**
   * one entry per key, in any order; a missing row has a null state, and the head of its reel all the same
   */
  rows(keys: readonly string[]): Soon<SourceRow[]>
  /**
   * sorted keys with this prefix of what lies in a space, or is held by the being of a stance
   * @param most only the first; all when left out or null
   */
  keysInPlace(place: SpacePath, kind: KindInPlace, most?: number | null): Soon<string[]>
  countInPlace(place: SpacePath, kind: KindInPlace): Soon<number>
  /** sorted keys of the children of a being */
  keysOfChildren(being: BeingName): Promise<string[]>
  /** keys of all beings, sorted */
  keysOfBeings(): Promise<string[]>
  /** the content kept under a digest */
  blob(digest: Digest): Soon<Json | null>
  readonly aside: AsideSource
}

/**
 * Reads rows, and remembers every reel it read with its head. That is the basis of a moment: append checks
 * that none of these heads has moved. All reads of this package go through it.
 */
export class WorldReader {
  readonly #source: RowSource
  readonly #rows = new Map<string, Row | null>()
  #heads = new Map<ReelId, SeenHead>()
  /** every gate asks for the makers, and a row that was read does not change */
  readonly #lineages = new Map<BeingName, readonly BeingRow[]>()
  #failed: { readonly error: unknown } | null = null
  #aside: Aside = {}
  #isFrozen = false
  /** keys of the rows with marks, and those asked for since the last question */
  readonly #marked = new Set<string>()
  #touched = new Set<string>()
  /** paths whose words count, by row */
  readonly #reads = new Map<string, KeyPath[]>()
  #readsAll = false
  #hasOutside = false
  #touchedOutside = false

  constructor(source: RowSource) {
    this.#source = source
  }

  /** Every reel read so far. */
  get heads(): ReadonlyMap<ReelId, SeenHead> {
    return this.#heads
  }

  /**
   * Whether anything that was read so far holds words from outside. Of a row with marked paths those count
   * that are read for their words: {@link reads} and {@link readsAll} name them.
   */
  get hasOutside(): boolean {
    return this.#hasOutside || this.#doCount(this.#marked)
  }

  /** Whether anything of that was asked for since this was last called. */
  takeOutside(): boolean {
    const touched = this.#touchedOutside || this.#doCount(this.#touched)
    this.#touchedOutside = false
    this.#touched = new Set()
    return touched
  }

  /** The words of a row below this path, or of the whole row, are read, so its marks there count. */
  reads(key: string, path: KeyPath = []): void {
    const known = this.#reads.get(key)
    if (known === undefined) this.#reads.set(key, [path])
    else known.push(path)
  }

  /** Code of an extension reads, which may read anything, so every mark counts. */
  readsAll(): void {
    this.#readsAll = true
  }

  #doCount(keys: ReadonlySet<string>): boolean {
    for (const key of keys) if (this.#doMarksCount(key)) return true
    return false
  }

  #doMarksCount(key: string): boolean {
    const marks = marksOf(this.#rows.get(key) ?? null)
    if (marks === undefined) return false
    if (marks === true || this.#readsAll) return true
    const read = [...(this.#reads.get(key) ?? []), ...(key.startsWith('space:') ? [RULES] : [])]
    return marks.some((mark) => read.some((path) => doMeet(mark, path)))
  }

  /** What was read past this reader, as catalogs are, holds words from outside. */
  noteOutside(): void {
    this.#hasOutside = this.#touchedOutside = true
  }

  /**
   * What was read beside rows so far. Its parts stand in canonical order, so that writing them need not sort
   * them.
   */
  get aside(): Aside {
    return Object.fromEntries(Object.entries(this.#aside).sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /**
   * Call it before a result is recorded. Code that was given this reader may have caught a failed read, and
   * replay, where no read fails, would then come to another result.
   * @throws the error of the first read that failed
   */
  requireWhole(): void {
    if (this.#failed !== null) throw this.#failed.error
  }

  /**
   * Freezes the rows that were read, and those that will be. Code of an extension gets rows to read: what it
   * changed in one would otherwise be stored with the row, without a fact.
   */
  freeze(): void {
    if (this.#isFrozen) return
    this.#isFrozen = true
    for (const row of this.#rows.values()) frozen(row)
  }

  /**
   * A reader of the world as an act leaves it: with another row in the place of one. What it reads, this one
   * has read.
   */
  asIf(key: string, row: Row): WorldReader {
    const source = this.#source
    return new WorldReader({
      rows: async (keys) => {
        await this.prefetch(keys)
        const stateOf = (one: string) => (one === key ? row : this.#known(one)) as Json | null
        return keys.map((one) => ({
          key: one,
          state: stateOf(one),
          head: { reel: one, seq: 0, stateSeq: 0, hash: '' },
        }))
      },
      keysInPlace: (...asked) => source.keysInPlace(...asked),
      countInPlace: (...asked) => source.countInPlace(...asked),
      keysOfChildren: (being) => source.keysOfChildren(being),
      keysOfBeings: () => source.keysOfBeings(),
      blob: (digest) => source.blob(digest),
      aside: source.aside,
    })
  }

  /**
   * A reader of the same world for what decides nothing. What it reads belongs to the basis of the moment, so
   * replay reads it too, but does not mark the moment as one that holds words from outside.
   */
  apart(): WorldReader {
    const other = new WorldReader(this.#source)
    for (const [key, row] of this.#rows) other.#rows.set(key, row)
    other.#heads = this.#heads
    other.#isFrozen = this.#isFrozen
    return other
  }

  /**
   * Reels with words from outside among those that it has read, but for some: sorted, and without the
   * registry, whose roles are marked one by one.
   */
  markedBeyond(known: ReadonlySet<ReelId>): ReelId[] {
    const isOutside = (reel: ReelId) => !known.has(reel) && isMarked(this.#rows.get(reel) ?? null)
    return [...this.#heads.keys()].filter(isOutside).sort()
  }

  /**
   * A reader of the same world whose reads leave no trace: what it reads is in no basis. Only for what is
   * recorded, and not asked again.
   */
  untraced(): WorldReader {
    const other = new WorldReader(this.#source)
    for (const [key, row] of this.#rows) other.#rows.set(key, row)
    other.#isFrozen = this.#isFrozen
    return other
  }

  /**
   * What a source has at once costs no promise: replay asks for thousands of rows a second that are all
   * there.
   */
  #from<T>(read: () => Soon<T>): Soon<T> {
    try {
      const found = read()
      return found instanceof Promise ? this.#awaited(found) : found
    } catch (error) {
      this.#failed ??= { error }
      throw error
    }
  }

  async #awaited<T>(read: Promise<T>): Promise<T> {
    try {
      return await read
    } catch (error) {
      this.#failed ??= { error }
      throw error
    }
  }

  /** Reads several rows at once; later reads of them cost nothing. */
  prefetch(keys: readonly string[]): Soon<void> {
    if (this.#hasAll(keys)) return
    const missing = keys.filter((key) => !this.#rows.has(key))
    const asked = missing.length === 1 ? missing : [...new Set(missing)]
    return once(
      this.#from(() => this.#source.rows(asked)),
      (found) => this.#take(found),
    )
  }

  #take(found: readonly SourceRow[]): void {
    for (const { key, state, head } of found) {
      const row = state === null ? null : fromJson<Row>(state)
      this.#rows.set(key, this.#isFrozen ? frozen(row) : row)
      if (isMarked(row)) this.#marked.add(key)
      // The oldest read of a reel counts: all reads of one reader are of one instant, or append checks that
      // they are.
      const known = this.#heads.get(head.reel)
      if (known === undefined || head.seq < known.seq) this.#heads.set(head.reel, head)
    }
  }

  #hasAll(keys: readonly string[]): boolean {
    for (const key of keys) if (!this.#rows.has(key)) return false
    return true
  }

  /**
   * A row that was read before, at once: gates ask about many rows that are all there. Undefined for one that
   * was not read.
   */
  known<Key extends string>(key: Key): RowOf<Key> | null | undefined {
    return this.#rows.has(key) ? this.#known(key) : undefined
  }

  /** A row by its key; null when there is none. */
  async row<Key extends string>(key: Key): Promise<RowOf<Key> | null> {
    if (!this.#rows.has(key)) {
      const read = this.prefetch([key])
      if (read instanceof Promise) await read
    }
    return this.#known(key)
  }

  #known<Key extends string>(key: Key): RowOf<Key> | null {
    const row = this.#rows.get(key) ?? null
    if (this.#marked.has(key)) this.#touched.add(key)
    return row as RowOf<Key> | null
  }

  being(name: BeingName): Promise<BeingRow | null> {
    return this.row(beingKey(name))
  }

  space(path: SpacePath): Promise<SpaceRow | null> {
    return this.row(spaceKey(path))
  }

  world(namespace: string): Promise<WorldRow | null> {
    return this.row(worldKey(namespace))
  }

  /** A thing; null when there is none, or it was ended. */
  async matter(id: MatterId): Promise<MatterRow | null> {
    const row = await this.row(matterKey(id))
    return row === null || row.place === null ? null : row
  }

  /**
   * Sorted ids of the things in a space, or held by the being of a stance. Arrivals are facts of that reel,
   * so it is read.
   * @param most only the first of them
   */
  async matters(place: SpacePath | string, most: number | null = null): Promise<MatterId[]> {
    await this.#readPlace(place)
    return (await this.#from(() => this.#source.keysInPlace(place, 'matter:', most))).map((key) =>
      key.slice('matter:'.length),
    )
  }

  async countMatters(place: SpacePath | string): Promise<number> {
    await this.#readPlace(place)
    return this.#from(() => this.#source.countInPlace(place, 'matter:'))
  }

  #readPlace(place: SpacePath | string): Soon<void> {
    return this.prefetch([place.startsWith('@') ? beingKey(place.slice(1)) : spaceKey(place)])
  }

  /** Who cut a thread, and when; null while it is not cut. */
  cutThread(thread: string): Promise<ThreadRow | null> {
    return this.row(threadKey(thread))
  }

  /** A call that a rule asked about, by the moment that asked; null when there is none. */
  approval(id: MomentId): Promise<ApprovalRow | null> {
    return this.row(approvalKey(id))
  }

  /** The acts that a count of a rule counts together, by their key; null before the first. */
  tally(key: RowKey<'tally'>): Promise<TallyRow | null> {
    return this.row(key)
  }

  /** A registered role; null when there is none, or it was deleted. */
  async role(name: RoleName): Promise<RoleRow | null> {
    const row = await this.row(roleKey(name))
    return row === null || row.deleted ? null : row
  }

  /** What is kept under a digest; null when nothing is. */
  kept(digest: Digest): Soon<Json | null> {
    return this.#from(() => this.#source.blob(digest))
  }

  /** A role's spec by its digest. Content kept by digest never changes, so it is not part of the basis. */
  async spec(digest: Digest): Promise<RoleSpec> {
    const spec = await this.kept(digest)
    if (spec === null) throw new Error(`the role spec ${digest} is not kept here`)
    return fromJson<RoleSpec>(spec)
  }

  /**
   * Sorted names of the beings in a space. Arrivals are facts of the space, so its reel is read.
   * @param most only the first of them: a crowd costs time
   */
  async occupants(path: SpacePath, most: number | null = null): Promise<BeingName[]> {
    await this.prefetch([spaceKey(path)])
    return (await this.#from(() => this.#source.keysInPlace(path, 'being:', most))).map((key) =>
      key.slice('being:'.length),
    )
  }

  async countOccupants(path: SpacePath): Promise<number> {
    await this.prefetch([spaceKey(path)])
    return this.#from(() => this.#source.countInPlace(path, 'being:'))
  }

  async childSpaces(path: SpacePath): Promise<SpacePath[]> {
    await this.prefetch([spaceKey(path)])
    return (await this.#from(() => this.#source.keysInPlace(path, 'space:'))).map((key) =>
      key.slice('space:'.length),
    )
  }

  async children(being: BeingName): Promise<BeingName[]> {
    await this.prefetch([beingKey(being)])
    return (await this.#from(() => this.#source.keysOfChildren(being))).map((key) =>
      key.slice('being:'.length),
    )
  }

  /** The words so far between the being and others in the thread of its wake, oldest first. */
  async said(): Promise<{ readonly facts: readonly CitedFact[]; readonly earlier: number }> {
    const said = await this.#from(() => this.#source.aside.said())
    this.#note({ said: { earlier: said.earlier, facts: said.facts.map(({ ref }) => ref) } })
    if (said.facts.some(({ payload }) => readPath(payload, ['outside']) === true))
      this.#hasOutside = this.#touchedOutside = true
    return said
  }

  /** The facts of the being's last act. */
  async did(): Promise<readonly CitedFact[]> {
    const did = await this.#from(() => this.#source.aside.did())
    this.#note({ did: did.map(({ ref }) => ref) })
    return did
  }

  /** The primary role of the last moment of each of these beings that was an act or a see; without those that lived none. */
  async wore(beings: readonly BeingName[]): Promise<Readonly<Record<BeingName, RoleName>>> {
    const wore = await this.#from(() => this.#source.aside.wore(beings))
    this.#note({ wore: { ...this.#aside.wore, ...wore } })
    return wore
  }

  /** Open wakes of the being, other than that of the moment. */
  async waiting(): Promise<NonNullable<Aside['waiting']>> {
    const waiting = await this.#from(() => this.#source.aside.waiting())
    this.#note({ waiting })
    return waiting
  }

  /** Open threads that the being has a part in. */
  async threads(): Promise<NonNullable<Aside['threads']>> {
    const threads = await this.#from(() => this.#source.aside.threads())
    this.#note({ threads })
    return threads
  }

  /**
   * Notes that fit, best first. A reading searches once: whoever asks again gets what that found.
   * @param seen which of these notes may be seen; code of an extension need not say it, since its world has
   *   only those
   */
  async recalled(asked: RecallAsked, seen: SeenNotes = seesNone): Promise<RecalledNotes> {
    const recalled =
      this.#aside.recalled ?? (await this.#from(() => this.#source.aside.recalled(asked, seen)))
    this.#note({ recalled })
    return recalled
  }

  /** Own past acts that a cause links to one of these reels; all of them for null. */
  async past(reels: readonly ReelId[] | null): Promise<PastActs<PastFact>> {
    const past = await this.#from(() => this.#source.aside.past(reels))
    this.#note({ past: { ...past, facts: past.facts.map(({ ref }) => ref) } })
    if (past.outside === true) this.#hasOutside = this.#touchedOutside = true
    return past
  }

  #note(read: Aside): void {
    this.#aside = { ...this.#aside, ...read }
  }

  /** Every being. It reads all their reels, so it is for rare acts that concern every being. */
  async everyBeing(): Promise<BeingRow[]> {
    const keys = await this.#from(() => this.#source.keysOfBeings())
    await this.prefetch(keys)
    return keys.flatMap((key) => this.#known(beingKey(key.slice('being:'.length))) ?? [])
  }

  /** Makers of a being, nearest first; at most 64 hops. */
  async lineage(being: BeingName): Promise<readonly BeingRow[]> {
    for (;;) {
      const found = this.#makersOf(being)
      if (typeof found !== 'string') return found
      await this.prefetch([beingKey(found)])
    }
  }

  /** The same at once; undefined where some of them were not read. */
  knownLineage(being: BeingName): readonly BeingRow[] | undefined {
    const found = this.#makersOf(being)
    return typeof found === 'string' ? undefined : found
  }

  /** @returns a name: that being has to be read first */
  #makersOf(being: BeingName): readonly BeingRow[] | BeingName {
    const known = this.#lineages.get(being)
    if (known !== undefined) return known
    const own = this.known(beingKey(being))
    if (own === undefined) return being
    const makers: BeingRow[] = []
    for (let of = own; of !== null && of.parent !== null && makers.length < LINEAGE_HOPS_MAX; ) {
      const maker = this.known(beingKey(of.parent))
      if (maker === undefined) return of.parent
      if (maker !== null) makers.push(maker)
      of = maker
    }
    this.#lineages.set(being, Object.freeze(makers)) // code of an extension gets it too
    return makers
  }
}

const LINEAGE_HOPS_MAX = 64

const seesNone: SeenNotes = async () => new Set()
