import {
  asJson,
  beingReel,
  type Json,
  type JsonObject,
  type MomentId,
  mendedBy,
  parseMomentId,
  readPath,
  SPEECH_KIND,
  stanceOf,
  TreeosError,
} from '@treeos/core'
import { type Db, type Reality, readBlob, readErasures } from '@treeos/store'
import {
  BIRTH_OF_CHILD_KIND,
  type DerivedPermission,
  derivePermission,
  isPermissionFact,
  MissingReel,
  type Witness,
} from '@treeos/verify'
import { canonicalTarget, type Registry } from '@treeos/world'
import { sql } from 'kysely'
import { contextOf, type IsOfContext } from './context.ts'
import { reachesForChildren } from './gaps.ts'
import { membersOf } from './members.ts'
import { findMomentLine, type MomentLine, readFactsByHash } from './read.ts'
import { hexOf, jsonOf } from './stored-json.ts'

interface WitnessDeps {
  readonly tx: Db
  readonly reality: Reality
  readonly registry: Registry
}

/** Parts of the witness that are the same whatever the gates are asked. */
type WitnessBase = Omit<Witness, 'verdict' | 'reels' | 'target' | 'fallback' | 'ask'>

/** No lineage is deeper, and no space. */
const REELS_MAX = 500

/**
 * Gathers what the permission of a moment's call is derived from: it derives it as a verifier does, and adds
 * each reel that the derivation asks for, as it stood when the moment was stamped.
 * @throws {TreeosError} MOMENT_NOT_FOUND; INVALID_INPUT for a moment that called nothing, or when no permission follows from what is
 *   stored
 */
export async function gatherWitness(deps: WitnessDeps, moment: MomentId): Promise<GatheredWitness> {
  const line = await findMomentLine(deps.tx, moment)
  if (line === null)
    throw new TreeosError(
      'MOMENT_NOT_FOUND',
      `no moment ${moment} has ended: its id is BEING/LIFE/N, as in echo/1/3`,
      mendedBy({ name: 'find-receipt' }),
    )
  if (line.decision === null && readPath(line.record, ['decision']) !== null) {
    const { being } = parseMomentId(moment)
    const erasure = (await readErasures(deps.tx, beingReel(being))).ofMoment(moment)
    const who = erasure === undefined ? 'gone' : `erased by ${stanceOf(erasure.by)} (${erasure.why})`
    throw new TreeosError(
      'INVALID_INPUT',
      `the decision of moment ${moment} was ${who}: no permission follows from what is left`,
    )
  }
  const call = readPath(line.decision as Json, ['call'])
  if (call === undefined || call === null)
    throw new TreeosError('INVALID_INPUT', `moment ${moment} called nothing, so there is nothing to permit`)
  if (readPath(call, ['addresses']) !== undefined)
    throw new TreeosError(
      'INVALID_INPUT',
      `moment ${moment} looked at several addresses: each passed its own gates, and a receipt is of one permission`,
    )
  const given = await givenOf(deps, line)
  const faults: string[] = []
  const [reels, own] = [reelsCited(deps.tx, line, given), ownRuleOf(deps.registry, call as JsonObject)]
  for (const target of await targetsOf(deps, line, call as JsonObject)) {
    const found = await complete({ ...given, target, ...own }, reels, line)
    if (typeof found !== 'string') return found
    if (!faults.includes(found)) faults.push(found)
  }
  throw noReceipt(moment, faults.join('; '))
}

type ReadReel = (reel: string) => Promise<Json>

export interface GatheredWitness {
  readonly witness: Witness
  readonly derived: DerivedPermission
}

/** @returns why nothing is derived, when nothing is */
async function complete(
  asked: Omit<Witness, 'verdict' | 'reels'>,
  read: ReadReel,
  line: MomentLine,
): Promise<GatheredWitness | string> {
  const reels: Record<string, Json> = {}
  for (;;) {
    const derived = await derivePermission({ ...asked, reels }).catch((error: Error) => error)
    if (derived instanceof Error && !(derived instanceof MissingReel)) return derived.message
    const lacking = derived instanceof MissingReel ? [derived.reel] : derived.missing
    const isWanted = (reel: string) => derived instanceof MissingReel || isInBasis(line, reel)
    const unread = lacking.filter((reel) => !Object.hasOwn(reels, reel) && isWanted(reel))
    if (unread.length === 0) {
      if (derived instanceof MissingReel) return derived.message
      const moment = { ...asked.moment, ...membersOf(line, (reel) => Object.hasOwn(reels, reel)) }
      return { witness: { ...asked, moment, reels, verdict: derived.verdict }, derived }
    }
    if (Object.keys(reels).length + unread.length > REELS_MAX)
      return `the permission rests on more than ${REELS_MAX} reels`
    for (const reel of unread) reels[reel] = await read(reel)
  }
}

/** Why there is no receipt of a moment although it called something: receipts of others can be issued. */
export const noReceipt = (moment: MomentId, why: string): TreeosError =>
  new TreeosError('INVALID_INPUT', `no receipt follows from what is stored of ${moment}: ${why}`)

/** Whether a moment read a reel. */
const isInBasis = ({ basis }: MomentLine, reel: string): boolean =>
  Array.isArray(basis) && basis.some((head) => Array.isArray(head) && head[0] === reel)

async function givenOf({ tx, reality }: WitnessDeps, line: MomentLine): Promise<WitnessBase> {
  const { record, open } = line
  const kept = async (what: string, digest: Json | undefined) => {
    const value = typeof digest === 'string' ? await readBlob(tx, digest) : null
    if (value === null) throw noReceipt(String(readPath(record, ['moment'])), `its ${what} is not kept`)
    return value
  }
  const stacked = readPath(record, ['stack', 'stacked'])
  const pinned = [readPath(record, ['stack', 'primary']) ?? null, ...(Array.isArray(stacked) ? stacked : [])]
  const specs: Json[] = []
  for (const role of pinned) specs.push(await kept('role', readPath(role, ['digest'])))
  const { prev, decision, salt, effect } = line
  return {
    reality: reality.id,
    moment: {
      prev,
      record,
      open,
      ...membersOf(line, () => true),
      decision,
      salt,
      effect,
    } as Witness['moment'],
    program: await kept('program', readPath(open, ['program'])),
    specs,
    surface: readPath(await kept('face', readPath(open, ['face'])), ['surface']) ?? null,
    facts: await factsOf(tx, record),
  }
}

/** The facts that a moment wrote, in the order of its record. */
async function factsOf(tx: Db, record: Json): Promise<Json> {
  const refs = (readPath(record, ['facts']) ?? []) as readonly (readonly [string, number, string])[]
  const found = new Map<string, Json>()
  for await (const { hash, prev, header, salt, payload } of readFactsByHash(
    tx,
    refs.map(([, , hash]) => hash),
  ))
    found.set(String(hash), [prev, header, salt, payload] as Json)
  return refs.map(([, , hash]) => found.get(hash) ?? null)
}

/**
 * What the call may be done to: one target, or where it names none, those that its operation may take then.
 */
async function targetsOf(
  { tx }: WitnessDeps,
  { record, open }: MomentLine,
  call: JsonObject,
): Promise<string[]> {
  const me = stanceOf(String(readPath(record, ['being'])))
  const space = await homeAndSpace(tx, me, Number(readPath(record, ['sealedAt'])))
  if (call.verb === 'be') return [me]
  const named = call.verb === 'see' ? call.address : call.target
  if (typeof named === 'string')
    return [canonicalTarget(call.verb === 'summon' ? 'canSummon' : 'canSee', named, space.home)]
  if (call.verb === 'do') return ['/', me, space.space]
  const { rows } = await sql<{ bytes: Buffer }>`
    select f.bytes from treeos.fact f
    where f.moment = ${readPath(record, ['moment']) as string} and f.kind = ${SPEECH_KIND} and f.bytes is not null`.execute(
    tx,
  )
  const told = rows.flatMap(({ bytes }) => readPath(jsonOf(bytes), ['to']) ?? [])
  const asker = readPath(open, ['caller', 'name'])
  return [...told, asker].flatMap((name) => (typeof name === 'string' ? [stanceOf(name)] : []))
}

/** The home of a being, and where it was at a time. */
async function homeAndSpace(tx: Db, stance: string, at: number): Promise<{ home: string; space: string }> {
  const { rows } = await sql<{ kind: string; header: Buffer; bytes: Buffer }>`
    select f.kind, f.header, f.bytes from treeos.fact f
    where f.reel = ${`being:${stance.slice(1)}`} and f.kind in ('being:born', 'being:moved') and f.bytes is not null order by f.seq`.execute(
    tx,
  )
  const [born, ...moves] = rows
  const home = String(readPath(born === undefined ? null : jsonOf(born.bytes), ['home']) ?? '/')
  const last = moves.findLast(({ header }) => Number(readPath(jsonOf(header), ['at'])) <= at)
  return { home, space: last === undefined ? home : String(readPath(jsonOf(last.bytes), ['to'])) }
}

/** Who may call the operation where no space has a rule, and whom it asks then. */
function ownRuleOf(
  { operations, beOperations }: Registry,
  call: JsonObject,
): Pick<Witness, 'fallback' | 'ask'> {
  const operation = (call.verb === 'be' ? beOperations : operations).get(String(call.operation))
  const { allow = [], ask } = operation ?? {}
  return { fallback: allow, ...(ask === undefined ? {} : { ask: asJson(ask) }) }
}

interface LinkRow {
  readonly kind: string
  readonly header: Buffer
  readonly salt: Buffer | null
  readonly bytes: Buffer | null
}

/**
 * @param showsChildren a role reaches for the children of the being of this reel: only then they are named
 * @param isOfContext whether the flow or the check of a signature reads what a fact sets
 */
const linksOf = (
  reel: string,
  rows: readonly LinkRow[],
  { showsChildren, isOfContext }: { showsChildren: boolean; isOfContext: IsOfContext },
): Json =>
  rows.map(({ kind, header, salt, bytes }) => {
    const payload = bytes === null ? null : jsonOf(bytes)
    const isShown = isPermissionFact(reel, kind)
      ? kind !== BIRTH_OF_CHILD_KIND || showsChildren
      : isOfContext(reel, kind, payload)
    return isShown && salt !== null && payload !== null
      ? [jsonOf(header), hexOf(salt), payload]
      : [jsonOf(header), null, null]
  })

/** Reads reels up to where the moment was judged from. Of one that it does not cite, nothing. */
function reelsCited(
  tx: Db,
  { record, open, basis, judged }: MomentLine,
  { specs, program }: Pick<WitnessBase, 'specs' | 'program'>,
): ReadReel {
  const isOfContext = contextOf(record, open, program)
  const own = beingReel(String(readPath(record, ['being'])))
  const refs = [basis, judged ?? null].flatMap((heads) => (Array.isArray(heads) ? heads : [])) as [
    string,
    number,
  ][]
  const seqOf = new Map(refs.map(([reel, seq]) => [reel, seq]))
  return async (reel) => {
    const { rows } = await sql<LinkRow>`
      select f.kind, f.header, f.salt, f.bytes
      from treeos.fact f
      where f.reel = ${reel} and f.seq <= ${seqOf.get(reel) ?? 0} order by f.seq`.execute(tx)
    return linksOf(reel, rows, { showsChildren: reel === own && reachesForChildren(specs), isOfContext })
  }
}
