/** What a moment opened with, derived again by the functions by which moments open. */
import { type BeingName, type ReelId, reelOfKey } from '@treeos/core'
import { flowPaths, type Program, pinStack } from '@treeos/roles'
import {
  type BeingRow,
  evaluateProgram,
  momentCognition,
  momentInputsOf,
  openContext,
  type RowSource,
  readsPlace,
  WorldReader,
  wornInShadow,
} from '@treeos/world'
import { at, isArray, isObject, type Json, type JsonObject, same } from '../canonical.ts'
import { isHash } from '../hash.ts'
import { NotShownError } from '../missing-reel.ts'
import { rolesByClause } from './roles-by-clause.ts'

/** The last act of a being: when it was sealed, and in which primary role. */
export interface LastAct {
  readonly sealedAt: Json
  readonly primary: Json
}

/** What of a bundle or of a receipt a moment is compared with. */
export interface DerivationSources {
  /** the rows at the heads that it read; reading what is not here throws NotShownError */
  readonly source: RowSource
  /** undefined: not all earlier moments of the being are here */
  readonly lastAct: LastAct | null | undefined
  /** the program that the moment opened with; undefined where that content is not here */
  readonly program: Json | undefined
}

type OpenedLine = { readonly record: JsonObject; readonly open: Json }
type OpeningFault = readonly [reason: string, what: string]

/** What was found of one moment. */
export interface Derivation {
  readonly faults: readonly OpeningFault[]
  /**
   * reels that its program and its context depend on, and that are not here: what it says of them is taken
   * from its record
   */
  readonly missing: readonly ReelId[]
  /** the space whose qualities were hidden from its flow, where only the record says so */
  readonly hidden: string | null
  /** where its being was; null where that is not known */
  readonly place: string | null
}

/** Derives the context of a moment, its program and its stack again, and compares. */
export async function deriveOpened(opened: OpenedLine, sources: DerivationSources): Promise<Derivation> {
  const derivation = new OpenedMoment(opened, sources)
  try {
    await derivation.compare()
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error)
    derivation.faults.push(['context-mismatch', `what it opened with has another form: ${what}`])
  }
  const { faults, missing, hidden, place } = derivation
  return { faults, missing: [...missing], hidden, place }
}

class OpenedMoment {
  readonly faults: OpeningFault[] = []
  readonly missing = new Set<ReelId>()
  hidden: string | null = null
  place: string | null = null
  #asksPlace = false
  readonly #record: JsonObject
  readonly #open: JsonObject
  readonly #told: JsonObject
  readonly #sources: DerivationSources
  /** what can not be asked whether the being may see its place, or what a dry-run flow reads */
  readonly #unasked = new Set<ReelId>()

  constructor({ record, open }: OpenedLine, sources: DerivationSources) {
    this.#record = record
    this.#open = isObject(open) ? open : {}
    const told = at(open, 'context')
    this.#told = isObject(told) ? told : {}
    this.#sources = sources
  }

  #need(holds: boolean, reason: string, what: string): void {
    if (!holds) this.faults.push([reason, what])
  }

  async compare(): Promise<void> {
    for (const fault of faultsOfTime(this.#record, this.#open, this.#sources.lastAct)) this.faults.push(fault)
    this.#need(isObject(this.#open.context ?? null), 'context-mismatch', 'its context is not an object')
    const { program } = this.#sources
    const isThere = isObject(program) || (program === undefined && isHash(this.#open.program))
    this.#need(isThere, 'program-mismatch', 'it opened with no program')
    const reader = new WorldReader(this.#rows(this.missing, null))
    const me = await reader.being(String(this.#record.being))
    this.place = me?.space ?? null
    if (me !== null) await this.#compareWith(reader, me)
    else if (isObject(program) && this.#record.stack !== null) this.#compareWorn(program)
  }

  /** Where its being is not known, its roles still follow from the program and the context that it tells. */
  #compareWorn(program: JsonObject): void {
    const pinned = rolesByClause(program, this.#open).map(({ role }) => {
      const digest = at(program, 'roles', role, 'digest') ?? null
      return { name: role, digest }
    })
    const [primary = null, ...stacked] = pinned
    const isWorn = same(this.#record.stack ?? null, { primary, stacked })
    this.#need(isWorn, 'stack-mismatch', 'its program gives another stack in its context')
  }

  async #compareWith(_reader: WorldReader, me: BeingRow): Promise<void> {
    const open = this.#open
    const driver = (open.driver ?? null) as BeingName | null
    const isDriver = driver === null || driver === me.inhabited?.by
    this.#need(isDriver, 'driver-mismatch', 'nobody had taken the being as its driver')
    const cognition = momentCognition(me, driver).kind
    this.#need(
      at(open, 'cognition', 'kind') === cognition,
      'context-mismatch',
      'it opened for another cognition',
    )
    const own = new WorldReader(this.#rows(this.missing, me))
    const inputs = momentInputsOf(me, open as never)
    const outside = open.outside === true
    const opening = { ...inputs, outside, readsPlace: () => this.#readsPlace(me) }
    const { program, context: found, isPlaceHidden } = await openContext(own, opening)
    if (!this.#asksPlace || isPlaceHidden) this.missing.delete(`space:${me.space}`) // its flow reads nothing of it
    this.#need(
      isPlaceHidden === (open.hidden === true),
      'context-mismatch',
      `it says ${open.hidden === true ? 'that its place was hidden, and nothing hides it' : 'nothing of its place being hidden, and it was'}`,
    )
    const isOfMakers = [...this.missing].some((reel) => reel.startsWith('being:'))
    const context = isOfMakers ? this.#withOrigins(found) : found
    const other = firstOther(this.#told, context as JsonObject)
    this.#need(other === null, 'context-mismatch', `its context has another ${other} than its facts give`)
    if (!isObject(this.#sources.program)) return // that it is not here is told
    this.#compareProgram(program)
    const { trigger, cut, ended } = inputs
    const asked = outside ? null : inputs.asked
    const result = evaluateProgram(program, {
      context: context as never,
      cognition,
      asked,
      trigger,
      cut,
      ended,
    })
    const stack = result.skip === undefined ? pinStack(program, result) : null
    const isWorn = this.#record.stack === null || same(this.#record.stack ?? null, stack as unknown as Json)
    this.#need(isWorn, 'stack-mismatch', 'its flow gives another stack in this context')
    await this.#compareTried(me, opening, result)
  }

  #compareProgram(program: Program): void {
    const told = this.#sources.program
    if (!isObject(told)) return
    for (const field of ['flow', 'defaultRole', 'roles'] as const)
      this.#need(
        same(told[field] ?? null, program[field] as unknown as Json),
        'program-mismatch',
        field === 'roles'
          ? 'its program has other roles than were set'
          : `its program has another ${field} than the being had`,
      )
  }

  /**
   * Compares what a dry-run flow would have given, and which of the marks that it read alone the moment
   * leaves out.
   */
  async #compareTried(
    me: BeingRow,
    opening: Parameters<typeof wornInShadow>[1],
    result: Parameters<typeof wornInShadow>[2],
  ): Promise<void> {
    const told = this.#open.triedOutside ?? []
    const isWhole = () => this.missing.size === 0 && this.#unasked.size === 0
    if (!isArray((me.qualities.shadow ?? null) as Json)) {
      const isNone = same(told, []) && (this.#open.shadow === undefined || !isWhole())
      this.#need(isNone, 'origin-mismatch', 'it tells of a dry-run flow, and has none')
      return
    }
    const reader = new WorldReader(this.#rows(this.#unasked, me))
    await openContext(reader, opening) // without what its own flow reads
    const { shadow, triedOutside } = await wornInShadow(
      reader,
      { ...opening, readsPlace: this.#triedPlace },
      result,
    )
    // Whether it may see its place rests on rows that are not here, so other beings and spaces may be among
    // them.
    const isOfPlace = [...this.#unasked].some((reel) => /^(being|space):/.test(reel))
    const isUnknown = (reel: ReelId) =>
      this.#unasked.has(reel) ? reader.heads.has(reel) : isOfPlace && /^(being|space):/.test(reel)
    const isDryRun = (reel: Json) => triedOutside.includes(String(reel)) || isUnknown(String(reel))
    const isOfDryRun = isArray(told) && told.every(isDryRun)
    this.#need(
      isOfDryRun,
      'origin-mismatch',
      'it leaves out marks of what more than the flow of its dry run reads',
    )
    const isSame =
      !isWhole() || this.#record.stack === null || same(this.#open.shadow ?? null, shadow as unknown as Json)
    this.#need(isSame, 'stack-mismatch', 'its dry run gives another stack')
  }

  /**
   * Whether the flow may read the place: as the gates say, and where not all that they read is here as the
   * record says.
   */
  async #readsPlace(me: BeingRow): Promise<boolean> {
    this.#asksPlace = true
    const gone = new Set<ReelId>()
    const sees = await readsPlace(new WorldReader(this.#rows(gone, me)), me).catch(unlessNotShown)
    if (gone.size === 0 && sees !== undefined) return sees
    this.#unasked.add(`space:${me.space}`)
    if (this.#open.hidden === true) this.hidden = me.space
    return this.#open.hidden !== true
  }

  /** The same, read as the dry-run flow reads it. */
  readonly #triedPlace = async (reader: WorldReader, me: BeingRow): Promise<boolean> => {
    const sees = await readsPlace(reader, me, true).catch(unlessNotShown)
    if (sees === undefined) this.#unasked.add(`space:${me.space}`)
    return sees ?? true
  }

  /**
   * Rows of what is here, and of what is not those that the record tells of.
   * @param gone takes the reels that are not here
   */
  #rows(gone: Set<ReelId>, me: BeingRow | null): RowSource {
    const { source } = this.#sources
    return {
      ...source,
      rows: (keys) =>
        Promise.all(
          keys.map(async (key) => {
            const reel = reelOfKey(key)
            try {
              const [row] = await source.rows([key])
              return row as NonNullable<typeof row>
            } catch (error) {
              unlessNotShown(error)
              gone.add(reel)
              return { key, state: this.#toldRow(key, me), head: { reel, seq: 0, hash: '', stateSeq: 0 } }
            }
          }),
        ),
    }
  }

  /** A row as far as the record tells of it. */
  #toldRow(key: string, me: BeingRow | null): never | null {
    const name = key.slice(key.indexOf(':') + 1)
    const role = key.startsWith('role:') ? at(this.#sources.program, 'roles', name) : undefined
    if (role !== undefined) return { name, ...(role as JsonObject), deleted: false } as never
    const values = key.startsWith('world:') ? at(this.#told, 'world', name) : undefined
    if (values !== undefined) return { namespace: name, owner: '', values } as never
    const isPlace = key === `space:${me?.space}`
    const qualities = at(this.#told, 'space', 'quality') ?? {}
    return isPlace
      ? ({ path: name, name: '', type: '', owner: null, qualities, createdAt: 0 } as never)
      : null
  }

  /** With whose words woke it as its record says: its makers are not here. */
  #withOrigins(context: JsonObject): JsonObject {
    const origins = at(this.#told, 'moment', 'origins')
    const { moment } = context
    return origins === undefined || !isObject(moment)
      ? context
      : { ...context, moment: { ...moment, origins } }
  }
}

/** @throws the error, unless it says that something is not here */
function unlessNotShown(error: unknown): undefined {
  if (!(error instanceof NotShownError)) throw error
}

/** The paths of contexts that a flow reads. */
export const pathsRead = (flow: Json): readonly string[] => flowPaths(flow)

const HOUR_MS = 3_600_000

/** Compares what a moment says of its time with itself, and with the last act of the being. */
function* faultsOfTime(
  record: JsonObject,
  open: Json,
  lastAct: LastAct | null | undefined,
): Generator<OpeningFault> {
  const [openedAt, offset] = [Number(at(open, 'openedAt')), Number(at(open, 'offset'))]
  const times = [at(open, 'openedAt'), at(open, 'offset'), record.sealedAt]
  if (!times.every((time) => typeof time === 'number'))
    yield ['time-mismatch', 'a time of it is not a number']
  if (record.openedAt !== openedAt || Number(record.sealedAt) < openedAt)
    yield ['time-mismatch', 'its record says that it was at another time']
  const here = openedAt + offset * 60_000
  const hour = Math.floor(here / HOUR_MS)
  const isOfZone = hour - 24 * Math.floor(hour / 24) === at(open, 'hour')
  const day = Math.floor(here / (24 * HOUR_MS)) + 4 // 1 January 1970 was a Thursday
  if (!isOfZone || day - 7 * Math.floor(day / 7) !== at(open, 'dayOfWeek'))
    yield ['time-mismatch', 'its hour and its weekday are not those of the time at which it opened']
  if (record.wake !== null && at(open, 'wake', 'id') !== record.wake)
    yield ['record-mismatch', 'its record names another wake']
  const last = at(open, 'lastSealed') ?? null
  if (last !== null && typeof at(last, 'sealedAt') !== 'number')
    yield ['time-mismatch', 'it does not say when the being last acted']
  if (lastAct === undefined) return
  if (!same(at(open, 'lastSealed'), lastAct === null ? null : { ...lastAct }))
    yield ['context-mismatch', 'the last act of the being was another one']
}

/** The first path at which two contexts differ; null where none does. */
function firstOther(told: Json | undefined, found: Json | undefined, path = ''): string | null {
  if (told !== undefined && found !== undefined && same(told, found)) return null
  if (!isObject(told ?? null) || !isObject(found ?? null)) return path
  const [a, b] = [told as JsonObject, found as JsonObject]
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const other = firstOther(a[key], b[key], path === '' ? key : `${path}.${key}`)
    if (other !== null) return other
  }
  return null
}
