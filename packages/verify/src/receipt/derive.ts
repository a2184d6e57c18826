import { faultsOfMoment, type Moment } from '../bundle/moment.ts'
import { deriveStack, pathsRead } from '../bundle/stack.ts'
import { REGISTRY } from '../bundle/states.ts'
import { at, canonical, isArray, isObject, type Json, type JsonObject, same } from '../canonical.ts'
import { type ByClause, rolesFor } from '../flow.ts'
import { momentHash, valueHash } from '../hash.ts'
import { type Heads, shownHeads } from '../heads.ts'
import { OPERATIONS } from '../operations.ts'
import { faultsOfOrigin } from '../origin.ts'
import { type Signing, signerOf, signingOf } from '../passkey.ts'
import { askedIn, askerIn } from '../wake.ts'
import { written } from '../written.ts'
import { type Bound, checkYes, isOwnYes } from './approval.ts'
import {
  type Answer,
  countedForTried,
  deriveListGate,
  deriveRuleGate,
  expanded,
  LIST_OF,
  type Wearer,
} from './gates.ts'
import { checkOwnFacts } from './own-facts.ts'
import type { Target } from './question.ts'
import { checkShadow } from './shadow.ts'
import { World } from './world.ts'

/**
 * - `refused`: it was not allowed, and nothing was done
 * - `permitted`: both gates allow it; nothing says that it was done (a look, or a call that failed for another reason)
 * - `seen-to-run`: both gates allow it, and its facts are on their reels, or its effect has an answer
 * - `asked`: both gates allow it once persons say yes, and nothing was done
 * - `not-known`: both gates allow it, the outside was asked, and no answer came
 */
export type Verdict = 'refused' | 'permitted' | 'asked' | 'seen-to-run' | 'not-known'

/** What a receipt says, with all that the permission is derived from: the predicate of its in-toto statement. */
export interface Witness {
  readonly reality: string
  readonly verdict: Verdict
  /** the record of the moment, what it opened with, and its decision, as in a bundle; of the heads those of `reels` are shown */
  readonly moment: Readonly<
    Record<'prev' | 'record' | 'open' | 'basis' | 'judged' | 'decision' | 'salt' | 'effect', Json>
  >
  /** the flow and the roles it names, as the moment opened with */
  readonly program: Json
  /** of the stack, primary first */
  readonly specs: readonly Json[]
  /** the lists of the stack after expansion */
  readonly surface: Json
  /** name of what the call is done to: a stance, a path, or an address of a thing or a thread */
  readonly target: string
  /** who may call the operation where no space has a rule: this is code of the operation */
  readonly fallback: readonly string[]
  /**
   * reels from their first fact on, each fact as [header, salt, payload]; a payload that the gates do not read is null. `{to, hash}`
   * stands for facts that are left out, up to the one of that number and hash
   */
  readonly reels: Readonly<Record<string, Json>>
  /** the facts that the moment wrote, each as [hash of the fact before, header, salt, payload] */
  readonly facts: Json
}

/** A permission that was derived again. */
export interface Derived {
  readonly verdict: Verdict
  /** how the moment ended: `act`, `see` or `failure`, and the code of a failure */
  readonly outcome: string
  readonly reason: string | null
  readonly moment: string
  /** hash of the moment's record */
  readonly hash: string
  readonly verb: string
  /** what the list gate was asked for: an action, an operation, a stance or an address */
  readonly asked: string
  readonly target: string
  /** the roles of the stack, and the clauses that chose them */
  readonly roles: ByClause
  /** the gates, in their order; the second is not asked when the first refuses */
  readonly gates: readonly Answer[]
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
  readonly signing: Exclude<Signing, { readonly kind: 'wrong' }>
  /** reels of which the flow read something, and which are not shown */
  readonly missing: readonly string[]
  /** in words, what else the derivation takes from the record or the signer */
  readonly attested: readonly string[]
}

type Parts = Omit<Witness, 'verdict'>

const need = (condition: boolean, what: string): void => {
  if (!condition) throw new Error(what)
}

/**
 * Derives the permission of a call again, from the specs and facts of its witness.
 * @throws {Error} for a witness whose parts do not have the digests in the moment's record, or which does not give what the record
 *   says
 * @throws {MissingReel} for a witness that lacks a reel
 */
export function derive(witness: Parts): Derived {
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
  need(said.effect === undefined || witness.moment.effect !== null, 'what it asked of the outside was erased')
  const call = at(decision, 'call')
  need(
    at(decision, 'kind') === 'call' && isObject(call),
    'its moment called nothing, so there is nothing to permit',
  )
  const roles = rolesOf(witness, said, open)
  const world = worldOf(witness, said, cited)
  const being = String(said.being)
  const me = world.being(being)
  if (me?.name !== being) throw new Error(`@${being} was never born`)
  const derivation = deriveStack(
    { record: said, open, basis: cited?.basis ?? [] },
    {
      states: world.states,
      isWhole: (reel) => reel !== REGISTRY && world.shown.has(reel),
      lastAct: undefined,
      program: witness.program,
    },
  )
  const [wrong] = derivation.faults
  need(wrong === undefined, `what it opened with does not fit together: ${wrong?.[1]}`)
  const missing = derivation.missing.filter((reel) => reel !== REGISTRY)
  const origin = {
    origins: world.origins,
    isWhole: (reel: string) => world.shown.has(reel),
    program: undefined,
    noted: undefined,
  }
  const [foreign] = faultsOfOrigin({ record: said, open }, cited?.basis ?? [], origin)
  need(foreign === undefined, `its origin does not fit: ${foreign?.[1]}`)
  const attested = [...contextIn(witness, missing, world)]
  if (derivation.hidden !== null)
    attested.push(
      `that @${being} might not see ${derivation.hidden}, whose qualities its flow reads, is said by its record`,
    )
  const signing = signed(witness.reality, moment, world, cited)
  if (signing.kind === 'wrong') throw new Error(`@${signing.by} did not sign it: ${signing.why}`)
  if (signing.kind === 'unknown' && !signing.isSigned)
    attested.push(`whether @${signing.by} had a passkey for its acts is not in the receipt`)
  const heads = [...world.shown].map(([reel, { head }]) => [reel, ...head] as const)
  const gaps = [...world.shown].flatMap(([reel, { cuts }]) =>
    cuts.map(([seq, after, to]) => ({ reel, from: seq + 1, to, after })),
  )
  const wearer = { me, asker: askerIn(open) }
  checkSurface(witness, wearer, attested)

  const verb = String(at(call, 'verb'))
  const list = LIST_OF[verb]
  if (list === undefined) throw new Error(`${verb} is not a verb`)
  const { asked, key, target } = targetOf(witness, call as JsonObject, wearer)
  const isOperation = verb === 'do' || verb === 'be'
  const rule = isOperation ? OPERATIONS[verb][key] : ['anyone']
  const isSame = rule === undefined || same([...witness.fallback], [...rule])
  need(isSame || !isOperation, 'its operation has another rule of its own')
  const isOfItself = verb === 'see' && target === `@${me.name}` // which every being may see
  const gates: Answer[] = isOfItself
    ? [SELF, SELF]
    : [deriveListGate(world, me, witness.surface as JsonObject, list, asked)]
  if (!isOfItself && gates[0]?.allowed === true) {
    const own = `${verb} ${key}: `
    const told = (isArray(said.by) ? said.by : []).find((by) => String(by).startsWith(own))
    const fallback = rule ?? witness.fallback
    const isAskedByCode = rule === undefined && told === `${own}ask` // whom the operation itself asks is code of its extension
    need(
      told === undefined || told === own + fallback.join(' or ') || isAskedByCode,
      'the record names another rule of the operation',
    )
    const args = at(call, verb === 'do' ? 'args' : 'payload') ?? null
    const counting = { args, openedAt: Number(said.openedAt), target }
    const fromOutside = at(open, 'outside') === true && verb !== 'see'
    const asking = { actor: me, verb, key, target: placed(world, target), fallback, fromOutside }
    const question = verb === 'see' ? asking : { ...asking, counting }
    const answer = deriveRuleGate(world, question)
    const { asks = [], rests = null, tallies = [] } = answer
    if (!isAskedByCode) checkShadow(world, question, answer, said)
    if (answer.isOfOrigin === true && !fromOutside) attested.push(NOTHING_OUTSIDE)
    const refs = isArray(said.facts) ? said.facts : []
    const links = isArray(witness.facts) ? witness.facts : []
    const wrote = new Map(refs.map((ref, i) => [isArray(ref) && ref[0], links[i] ?? null]))
    for (const [reel] of tallies) world.state(reel)
    const isCounted = [...tallies, ...countedForTried(world, question)].every(([reel, sums]) => {
      const own = wrote.get(reel)
      const payload = isArray(own) ? own[3] : null
      return own !== undefined && sums.every((name) => at(payload, 'amounts', String(name)) !== undefined)
    })
    need(said.outcome !== 'act' || isCounted, 'a rule counts it, and it was not counted')
    if (asks.length > 0 || isAskedByCode)
      attested.push(...yesTo(world, { record: said, open, call: call as Json, me, question, asks, rests }))
    if (answer.by.startsWith(own) && rule === undefined)
      attested.push(`that ${key} takes ${fallback.join(' or ')} is code of its extension`)
    if (isAskedByCode) attested.push(`that ${key} asks, and whom, is code of its extension`)
    gates.push(isAskedByCode && asks.length === 0 ? { ...answer, by: String(told) } : answer)
  }
  const verdict = verdictOf(witness, said, gates)
  attested.push(...checkOwnFacts(witness, world))
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
    lineage: world.lineage(being).map(({ name }) => name),
  }
}

/** What a rule that asks comes to: it waits; or the moment brings a yes; or whoever makes the call is whom it asks. */
function yesTo(world: World, bound: Bound): string[] {
  const { outcome, reason } = bound.record
  const wake = String(at(bound.open, 'wake', 'id'))
  const isEvent = at(bound.open, 'wake', 'kind') === 'event'
  if (outcome === 'waiting' || (outcome === 'failure' && reason !== null)) return []
  if (isEvent && wake.startsWith('approved/')) return checkYes(world, wake.slice('approved/'.length), bound)
  need(isOwnYes(world, bound), 'a rule asks about it, and nobody said yes')
  return []
}

const SELF: Answer = { allowed: true, by: 'see: self' }

/** The roles of the stack by clause. The program gives them, with these digests, in the context of the open record. */
function rolesOf({ program, specs }: Parts, record: JsonObject, open: Json): ByClause {
  need(valueHash(program) === at(open, 'program'), 'its program is not the one that the moment opened with')
  const stacked = at(record, 'stack', 'stacked')
  const pinned = [at(record, 'stack', 'primary') ?? null, ...(isArray(stacked) ? stacked : [])]
  const roles = rolesFor(program, {
    context: at(open, 'context') ?? {},
    cognition: String(at(open, 'cognition', 'kind')),
    asked: askedIn(open),
  })
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

const NOTHING_OUTSIDE = 'that nothing else that it read holds words from outside is said by its record'

/** What is taken from the record of the context, in sentences. */
function* contextIn({ program, moment }: Parts, missing: readonly string[], world: World): Generator<string> {
  const read = new Set(pathsRead(at(program, 'flow') ?? null))
  if (at(moment.open, 'outside') !== true && [...read].some((path) => /^moment(\.|$)/.test(path)))
    yield NOTHING_OUTSIDE
  const isOfPast = [...read].some((path) => /^(me\.previousRole|time\.sinceLastMoment|me$|time$)/.test(path))
  const past = isOfPast ? ', when the being last acted and in which role' : ''
  const values = missing.length === 0 ? '' : `, and the values that it read of ${missing.join(', ')}`
  if (at(moment.open, 'shadow') !== undefined)
    yield 'which roles the flow in its shadow would have given is said by its record'
  yield `the context: that its roles were registered so${past}${values} is said by its record`
  for (const [reel, count] of world.withheld) {
    const being = String(at(moment.record, 'being'))
    const own = [`being:${being}`, `being:${signerOf(moment.open, being)}`]
    if (reel.startsWith('world:') || own.includes(reel))
      yield `${count} facts of ${reel} are there without their contents: that neither the context nor a passkey depends on them is said by the signer`
  }
}

/** Who made the act, if a person did. */
function signed(reality: string, moment: Moment, world: World, cited: Heads | null): Signing {
  const { record, open } = moment
  const being = String(record.being)
  const by = signerOf(open, being)
  if (by !== null) world.being(by)
  const [, seq] = cited?.basis.find(([reel]) => reel === `being:${by}`) ?? []
  const state = seq === undefined ? null : world.states.at(`being:${by}`, seq)
  return signingOf(reality, moment, state === null ? null : (state.passkeys ?? {}))
}

/** The world as the gates saw it: each reel stands where the call was judged from. */
function worldOf(witness: Parts, record: JsonObject, cited: Heads | null): World {
  const world = new World(witness.reality, witness.reels)
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

/** Expands the lists of the stack again, and compares. */
function checkSurface({ specs, surface, moment }: Parts, wearer: Wearer, attested: string[]): void {
  need(
    valueHash(surface) === at(moment.record, 'surfaceDigest'),
    'its expanded lists are not those in the record',
  )
  for (const list of Object.values(LIST_OF)) {
    const held = at(surface, list)
    const lists = specs.map((spec) => (at(spec, list) === undefined ? [] : at(spec, list)))
    need(lists.every(isArray), `${list} of a role is no list`)
    const entries = lists.flatMap((entry) => entry as readonly Json[])
    const own = new Set((isArray(held) ? held : []).map((entry) => canonical(entry)))
    const wanted = new Set<string>()
    let isWhole = true
    for (const entry of entries) {
      const names = expanded(list, entry, wearer)
      if (names === null) isWhole = false
      for (const name of names ?? []) wanted.add(canonical(name))
    }
    need(
      [...wanted].every((name) => own.has(name)),
      `${list} lacks what the roles expand to`,
    )
    need(!isWhole || own.size === wanted.size, `${list} holds what no role expands to`)
    if (!isWhole)
      attested.push(`${list} has entries that code expands: their expansion is taken from the record`)
  }
}

/** What the list gate and the rule gate are asked about. */
/** What names what is called, by verb. */
const KEY_OF: Readonly<Record<string, string>> = { see: 'address', do: 'action', be: 'operation' }

function targetOf(
  { target, specs }: Parts,
  call: JsonObject,
  { me, asker }: Wearer,
): { asked: string; key: string; target: string } {
  const named = at(call, 'target') ?? null
  const key = KEY_OF[String(call.verb)]
  const isForm = key === undefined || typeof call[key] === 'string'
  need(isForm && (named === null || typeof named === 'string'), 'its call has another form')
  switch (call.verb) {
    case 'see': {
      const asked = written('canSee', String(call.address), me.home)
      need(asked === target, 'its target is not the one of the call')
      return { asked, key: asked, target }
    }
    case 'summon': {
      const isAsker = (at(specs[0], 'replyTo') ?? 'asker') === 'asker'
      const due =
        named === null
          ? isAsker && asker !== null
            ? `@${asker}`
            : target
          : written('canSummon', String(named), me.home)
      need(due === target && target.startsWith('@'), 'its target is not the one of the call')
      return { asked: target, key: target, target }
    }
    case 'be':
      need(target === `@${me.name}`, 'a BE is done to the being itself')
      return { asked: String(call.operation), key: String(call.operation), target }
    default: {
      const due =
        named === null ? ['/', `@${me.name}`, me.space] : [written('canSee', String(named), me.home)]
      need(due.includes(target), 'its target is not the one of the call')
      return { asked: String(call.action), key: String(call.action), target }
    }
  }
}

function placed(world: World, target: string): Target {
  const there = <T>(found: T | null): T => {
    if (found === null) throw new Error(`${target} was not there`)
    return found
  }
  if (target.startsWith('@')) {
    const being = there(world.being(target.slice(1)))
    return { being, space: being.space, owner: undefined }
  }
  if (target.startsWith('thread:')) return { being: null, space: '/', owner: undefined }
  if (!target.startsWith('matter:'))
    return { being: null, space: there(world.space(target)).name, owner: undefined }
  const { owner, space } = there(world.state(target))
  return {
    being: null,
    space: space.startsWith('@') ? there(world.being(space.slice(1))).space : space,
    owner,
  }
}

/** Errors of an effect that do not say whether it happened. */
const UNKNOWN = ['TIMEOUT', 'INTERNAL', '']
/** Errors of an effect that say that the outside was asked for nothing, or did nothing. */
const NOT_RUN = ['FORBIDDEN', 'SERVICE_UNAVAILABLE']

/** The error code of an effect's result, `value` for a result, and an empty text where no answer came. Null without an effect. */
function answerOf({ moment: { effect } }: Parts): string | null {
  if (effect === null) return null
  const result = at(effect, 'result') ?? null
  return result === null ? '' : String(at(result, 'error', 'code') ?? 'value')
}

function verdictOf(
  witness: Parts,
  { outcome, reason, by: told }: JsonObject,
  gates: readonly Answer[],
): Verdict {
  const by = isArray(told) ? told : []
  // A being sees why its look was refused, so its moment ends as `see`, with the code.
  const isShown =
    outcome === 'see' &&
    at(witness.moment.decision ?? null, 'call', 'verb') === 'see' &&
    /^[A-Z_]+$/.test(String(reason))
  const isRefused = outcome === 'failure' || isShown
  const refusing = gates.find(({ allowed }) => !allowed)
  if (refusing !== undefined) {
    need(
      isRefused && reason === 'FORBIDDEN' && by[0] === refusing.by,
      `the gates refuse it (${refusing.by}), and the record says otherwise`,
    )
    return 'refused'
  }
  if (!isRefused) {
    const derived = gates.map((gate) => gate.by)
    need(
      derived.every((rule, i) => by[i] === rule),
      `the record names other rules than those that allow it: ${derived.join('; ')}`,
    )
  }
  const answer = answerOf(witness)
  if (answer !== null && !NOT_RUN.includes(answer))
    return UNKNOWN.includes(answer) ? 'not-known' : 'seen-to-run'
  if (isRefused) return reason === 'FORBIDDEN' ? 'refused' : 'permitted'
  if (outcome === 'waiting') return 'asked'
  return outcome === 'act' ? 'seen-to-run' : 'permitted'
}
