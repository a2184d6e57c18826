import { askerIn, type DecidingModel, REGISTRY_REEL } from '@treeos/core'
import type { RoleSpec } from '@treeos/roles'
import { type BeingRow, CAN_LISTS, type GateFinding, seed, surfaceOf, WorldReader } from '@treeos/world'
import { deriveOpened, pathsRead } from '../bundle/derive-opened.ts'
import { type RolesByClause, rolesByClause } from '../bundle/roles-by-clause.ts'
import { at, canonical, isArray, isObject, type Json, type JsonObject, same } from '../canonical.ts'
import { faultOfEffectCall } from '../effect-call.ts'
import { faultOfEffectKey } from '../effect-key.ts'
import { hasForm } from '../forms/forms.ts'
import { faultsOfForm } from '../forms/forms-of-moment.ts'
import { momentHash, valueHash } from '../hash.ts'
import { type Heads, shownHeads } from '../heads.ts'
import { isKnownLaw, whyUnjudged } from '../law.ts'
import { faultsOfMoment, faultsOfOutcome, type Moment, whyNotLoaded } from '../moment.ts'
import { MomentReads } from '../moment-reads.ts'
import { faultsOfOrigin, holdsOutside } from '../origin.ts'
import { type PasskeyResult, signerOf, signingOf } from '../passkey.ts'
import { openIn } from '../recorded-moment.ts'
import { judgeReceiptCall, NOTHING_OUTSIDE } from './judge.ts'
import { need } from './need.ts'
import { checkOwnFacts } from './own-facts.ts'
import { type Verdict, verdictOf } from './verdict.ts'
import type { Parts } from './witness.ts'
import { WitnessReels } from './witness-reels.ts'

/** The moment of a witness was judged by a law that this verifier does not know. Its digests fit. */
export class UnknownLawError extends Error {
  override readonly name = 'UnknownLawError'
  readonly moment: string
  /** hash of the moment's record */
  readonly hash: string
  constructor({ record, prev }: Parts['moment']) {
    super(`its moment was ${whyUnjudged(at(record, 'law'))}`)
    this.moment = String(at(record, 'moment'))
    this.hash = momentHash(String(prev), record)
  }
}

/** A permission that was derived again. */
export interface DerivedPermission {
  readonly verdict: Verdict
  /** how the moment ended: `act`, `see` or `failure`, and the code of a failure */
  readonly outcome: string
  readonly reason: string | null
  readonly moment: string
  /** hash of the moment's record */
  readonly hash: string
  readonly verb: string
  /** what the list gate was asked for: an operation, a stance or an address */
  readonly asked: string
  readonly target: string
  /** the roles of the stack, and the clauses that chose them */
  readonly roles: RolesByClause
  /** the gates, in their order; the second is not asked when the first refuses */
  readonly gates: readonly GateFinding[]
  /** which model decided it, as its decision says; null where none did */
  readonly model: DecidingModel | null
  /** makers of the being, nearest first */
  readonly lineage: readonly string[]
  /** the reels that it is derived from, with the number and the hash of their last fact */
  readonly heads: readonly (readonly [reel: string, seq: number, hash: string])[]
  /** what the witness leaves out: facts `from` to `to` of a reel follow the one with the hash `after`, which the log must hold */
  readonly gaps: readonly {
    readonly reel: string
    readonly from: number
    readonly to: number
    readonly after: string
  }[]
  /** whether a passkey shows that a person made it */
  readonly signing: Exclude<PasskeyResult, { readonly kind: 'wrong' }>
  /** reels of which the flow read something, and which are not shown */
  readonly missing: readonly string[]
  /** in words, what else the derivation takes from the record or the signer */
  readonly attested: readonly string[]
}

/**
 * Derives the permission of a call again, from the specs and facts of its witness.
 * @throws {Error} for a witness whose parts do not have the digests in the moment's record, or which does not give what the record
 *   says
 * @throws {MissingReel} for a witness that lacks a reel
 * @throws {UnknownLawError} for a moment that an unknown law judged
 */
export async function derivePermission(witness: Parts): Promise<DerivedPermission> {
  const { record, open, decision, prev } = witness.moment
  need(
    isObject(record) && isObject(open) && isObject(decision),
    'it holds no record, no open record or no decision',
  )
  const cited = shownHeads(witness.moment)
  const moment = witness.moment as unknown as Moment
  const [fault] = faultsOfMoment(moment, cited)
  need(fault === undefined, `the moment does not fit together: ${fault?.[1]}`)
  const said = record as JsonObject
  if (!isKnownLaw(said.law)) throw new UnknownLawError(witness.moment)
  const [misshapen] = [...faultsOfForm(moment)]
  need(misshapen === undefined, String(misshapen?.[1]))
  const [ended] = [...faultsOfOutcome(moment)]
  need(ended === undefined, String(ended?.[1]))
  if (said.promptDigest === null) {
    const specOf = (digest: string) => witness.specs.find((spec) => valueHash(spec) === digest)
    const unloaded = whyNotLoaded(moment, specOf)
    if (unloaded !== null && 'fault' in unloaded) throw new Error(unloaded.fault)
  }
  const wrongKey = faultOfEffectKey(moment, witness.reality)
  need(wrongKey === null, String(wrongKey))
  const otherCall = faultOfEffectCall(moment, undefined)
  need(otherCall === null, String(otherCall))
  const areFormed =
    hasForm('program', witness.program) && witness.specs.every((spec) => hasForm('spec', spec))
  need(witness.ask === undefined || hasForm('ask', witness.ask), 'whom its operation asks has another form')
  need(areFormed && hasForm('lists', witness.surface), 'its program, a spec or its lists have another form')
  need(said.effect === undefined || witness.moment.effect !== null, 'what it asked of the outside was erased')
  const call = at(decision, 'call')
  need(
    at(decision, 'kind') === 'call' && isObject(call),
    'its moment called nothing, so there is nothing to permit',
  )
  const roles = rolesOf(witness, said, open)
  const world = worldOf(witness, said, cited)
  const being = String(said.being)
  const reader = new WorldReader(world.source())
  const me = await reader.being(being)
  if (me?.name !== being) throw new Error(`@${being} was never born`)
  const { missing, attested } = await openedWith(witness, world, cited)
  const by = signerOf(open, being)
  if (by !== null) await reader.being(by)
  const signing = signed(witness.reality, moment, world, cited)
  if (signing.kind === 'wrong') throw new Error(`@${signing.by} did not sign it: ${signing.why}`)
  if (signing.kind === 'unknown' && !signing.isSigned)
    attested.push(`whether @${signing.by} had a passkey for its acts is not in the receipt`)
  const heads = [...world.shown].map(([reel, { head }]) => [reel, ...head] as const)
  const gaps = [...world.shown].flatMap(([reel, { cuts }]) =>
    cuts.map(([seq, after, to]) => ({ reel, from: seq + 1, to, after })),
  )
  attested.push(...(await uncheckedLists(witness, world, me)))
  const { verb, asked, target, gates, attested: judged } = await judgeReceiptCall(witness, reader, me)
  attested.push(...judged)
  const verdict = verdictOf(witness.moment, said, gates)
  attested.push(...(await checkOwnFacts(witness, world, me)))
  const [outcome, reason] = [String(said.outcome), typeof said.reason === 'string' ? said.reason : null]
  if (verdict === 'refused' && gates.every(({ allowed }) => allowed))
    attested.push(
      `both gates allow it: that it was refused for a condition of its own (${said.beside ?? 'of the operation'}) is said by its record`,
    )
  return {
    verdict,
    outcome,
    reason,
    moment: String(said.moment),
    hash: momentHash(String(prev), said),
    verb,
    asked,
    target,
    roles,
    gates,
    heads,
    gaps,
    signing,
    missing,
    attested,
    model: (at(decision, 'model') ?? null) as unknown as DecidingModel | null,
    lineage: (await reader.lineage(being)).map(({ name }) => name),
  }
}

/** Derives again what the moment opened with. @returns reels that its flow read and that are not shown; and what is said by its record, in words */
async function openedWith(
  witness: Parts,
  world: WitnessReels,
  cited: Heads | null,
): Promise<{ readonly missing: readonly string[]; readonly attested: string[] }> {
  const { open } = witness.moment
  const said = witness.moment.record as JsonObject
  const source = world.source({ heads: cited?.basis ?? [] })
  const derivation = await deriveOpened(
    { record: said, open },
    { source, lastAct: undefined, program: witness.program },
  )
  const [wrong] = derivation.faults
  need(wrong === undefined, `what it opened with does not fit together: ${wrong?.[1]}`)
  const missing = derivation.missing.filter((reel) => reel !== REGISTRY_REEL)
  const nothing = { place: null, program: undefined, noted: undefined, specOf: () => undefined }
  const origin = {
    reads: new MomentReads(said, open, nothing),
    origins: world.origins,
    isWhole: (reel: string) => world.shown.has(reel),
    program: undefined,
    noted: undefined,
  }
  const outside = holdsOutside(open, cited?.basis ?? [], origin)
  const [foreign] = faultsOfOrigin({ record: said, open }, origin, outside)
  need(foreign === undefined, `its origin does not fit: ${foreign?.[1]}`)
  const attested = [...contextIn(witness, missing, world)]
  if (derivation.hidden !== null)
    attested.push(
      `that @${said.being} might not see ${derivation.hidden}, whose qualities its flow reads, is said by its record`,
    )
  return { missing, attested }
}

/** The roles of the stack by clause. The program gives them, with these digests, in the context of the open record. */
function rolesOf({ program, specs }: Parts, record: JsonObject, open: Json): RolesByClause {
  need(valueHash(program) === at(open, 'program'), 'its program is not the one that the moment opened with')
  const stacked = at(record, 'stack', 'stacked')
  const pinned = [at(record, 'stack', 'primary') ?? null, ...(isArray(stacked) ? stacked : [])]
  const roles = rolesByClause(program, open)
  need(
    same(
      roles.map(({ role }) => role),
      pinned.map((role) => at(role, 'name') ?? null),
    ),
    'the flow gives another stack than the moment wore',
  )
  for (const [i, role] of pinned.entries()) {
    const digest = at(role, 'digest')
    need(
      at(program, 'roles', String(at(role, 'name')), 'digest') === digest,
      'its program names another spec of a role',
    )
    need(valueHash(specs[i] ?? null) === digest, 'the spec of a role is not the one that the moment wore')
  }
  return roles
}

/** What is taken from the record of the context, in sentences. */
function* contextIn(
  { program, moment }: Parts,
  missing: readonly string[],
  world: WitnessReels,
): Generator<string> {
  const read = new Set(pathsRead(at(program, 'flow') ?? null))
  if (at(moment.open, 'outside') !== true && [...read].some((path) => /^moment(\.|$)/.test(path)))
    yield NOTHING_OUTSIDE
  const isOfPast = [...read].some((path) => /^(me\.previousRole|time\.sinceLastMoment|me$|time$)/.test(path))
  const past = isOfPast ? ', when the being last acted and in which role' : ''
  const values = missing.length === 0 ? '' : `, and the values that it read of ${missing.join(', ')}`
  if (at(moment.open, 'shadow') !== undefined)
    yield 'which roles a dry run of another flow would have given is said by its record'
  yield `the context: that its roles were registered so${past}${values} is said by its record`
  for (const [reel, count] of world.withheld) {
    const being = String(at(moment.record, 'being'))
    const own = [`being:${being}`, `being:${signerOf(moment.open, being)}`]
    if (reel.startsWith('world:') || own.includes(reel))
      yield `${count} facts of ${reel} are there without their contents: that neither the context nor a passkey depends on them is said by the signer`
  }
}

/** Who made the act, if a person did. */
function signed(reality: string, moment: Moment, world: WitnessReels, cited: Heads | null): PasskeyResult {
  const { record, open } = moment
  const being = String(record.being)
  const by = signerOf(open, being)
  const [, seq] = cited?.basis.find(([reel]) => reel === `being:${by}`) ?? []
  return signingOf(reality, moment, seq === undefined ? null : world.passkeys.at(`being:${by}`, seq))
}

/** The world as the gates saw it: each reel stands where the call was judged from. */
function worldOf(witness: Parts, record: JsonObject, cited: Heads | null): WitnessReels {
  const world = new WitnessReels(witness.reality, witness.reels)
  need(record.judged !== undefined, 'its record does not say from which heads its call was judged')
  for (const [reel, { head }] of world.shown) {
    const [, seq = null, hash = null] = cited?.judgedFrom.get(reel) ?? []
    need(head[0] === seq && head[1] === hash, `${reel} does not stand where the moment was judged from`)
    for (const link of witness.reels[reel] as readonly Json[]) {
      const header = isArray(link) ? link[0] : null
      if (header === null) continue
      need(at(header, 'moment') !== record.moment, `${reel} holds what the moment itself wrote`)
      const [when, sealed] = [at(header, 'at'), record.sealedAt]
      const isBefore = typeof when === 'number' && typeof sealed === 'number' && when <= sealed
      need(isBefore, `${reel} holds what came after the moment`)
    }
  }
  return world
}

/** The relations that a receipt shows whom they name. Others, patterns of beings and entries of extensions are expanded by code over more of the world. */
const SHOWN_RELATIONS = ['self', 'asker', 'parent', 'any-child']
const TOKENS = {
  relations: new Map(Object.entries(seed.relations).filter(([name]) => SHOWN_RELATIONS.includes(name))),
  patterns: new Map(),
  resolvers: new Map(),
}

/** Expands the lists of the stack again, and compares. @returns in words, which of their expansions are taken from the record */
async function uncheckedLists(
  { specs, surface, moment }: Parts,
  world: WitnessReels,
  me: BeingRow,
): Promise<string[]> {
  need(
    valueHash(surface) === at(moment.record, 'surfaceDigest'),
    'its expanded lists are not those in the record',
  )
  const areLists = (spec: Json) =>
    CAN_LISTS.every((list) => at(spec, list) === undefined || isArray(at(spec, list)))
  need(specs.every(areLists), 'what a role may do is not a list')
  const isInward = at(moment.open, 'orientation') === 'inward'
  const wearing = {
    me,
    asker: askerIn(openIn(moment), me.name),
    specs: specs as unknown as readonly RoleSpec[],
  }
  const reader = new WorldReader(world.source()) // an entry that names beings in a space fails to read it
  const { surface: wanted, dropped } = await surfaceOf(reader, TOKENS, wearing, isInward)
  const unnamed = dropped.some(({ entry }) => at(entry, 'rel') === 'any-child')
  need(isInward || !unnamed, 'it does not name the children that a role reaches for')
  return CAN_LISTS.flatMap((list) => {
    const held = at(surface, list)
    const own = new Set((isArray(held) ? held : []).map((entry) => canonical(entry)))
    const lacks = wanted[list].some((entry) => !own.has(canonical(entry as Json)))
    need(!lacks, `${list} lacks what the roles expand to`)
    const isWhole = isInward || dropped.every((one) => one.list !== list)
    need(!isWhole || own.size === wanted[list].length, `${list} holds what no role expands to`)
    return isWhole ? [] : [`${list} has entries that code expands: their expansion is taken from the record`]
  })
}
