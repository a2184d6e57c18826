import { at, isArray, type Json, type JsonObject, same } from '../canonical.ts'
import { OPERATIONS } from '../operations.ts'
import { written } from '../written.ts'
import { type Bound, checkYes, isOwnYes } from './approval.ts'
import { type Answer, deriveListGate, deriveRuleGate, LIST_OF, type Wearer } from './gates.ts'
import { need } from './need.ts'
import { checkShadow, countedForTried } from './shadow.ts'
import { placed, targetOf } from './target.ts'
import type { Parts } from './witness.ts'
import type { State, World } from './world.ts'

interface Judged {
  readonly verb: string
  /** what the list gate was asked for */
  readonly asked: string
  readonly target: string
  readonly gates: readonly Answer[]
  /** in words, what of that is said by the record alone */
  readonly attested: readonly string[]
}

export const NOTHING_OUTSIDE = 'that nothing else that it read holds words from outside is said by its record'
const SELF: Answer = { allowed: true, by: 'see: self' }

/**
 * Asks both gates again about the call of a moment, and compares with its record what rules count and ask, and what those that are tried say.
 * @throws {Error} where the record says otherwise
 * @throws {MissingReel}
 */
export function judge(witness: Parts, world: World, wearer: Wearer): Judged {
  const { me } = wearer
  const call = at(witness.moment.decision, 'call') as JsonObject
  const verb = String(call.verb)
  const list = LIST_OF[verb]
  if (list === undefined) throw new Error(`${verb} is not a verb`)
  const named = targetOf(witness, call, wearer)
  const { asked, target } = named
  const isOperation = verb === 'do' || verb === 'be'
  const rule = isOperation ? OPERATIONS[verb][named.key] : ['anyone']
  const isSame = rule === undefined || same([...witness.fallback], [...rule])
  need(isSame || !isOperation, 'its operation has another rule of its own')
  if (verb === 'see' && target === `@${me.name}`)
    return { verb, asked, target, gates: [SELF, SELF], attested: [] } // which every being may see
  const listed = deriveListGate(world, me, witness.surface as JsonObject, list, asked)
  if (!listed.allowed) return { verb, asked, target, gates: [listed], attested: [] }
  const { answer, attested } = judgeByRules(witness, world, { me, call, rule, ...named })
  return { verb, asked, target, gates: [listed, answer], attested }
}

interface Called {
  readonly me: Wearer['me']
  readonly call: JsonObject
  readonly key: string
  readonly target: string
  /** the operation's own rule; undefined where that is code of an extension */
  readonly rule: readonly string[] | undefined
}

/** The second gate. */
function judgeByRules(
  witness: Parts,
  world: World,
  { me, call, key, target, rule }: Called,
): { readonly answer: Answer; readonly attested: readonly string[] } {
  const { open } = witness.moment
  const said = witness.moment.record as JsonObject
  const verb = String(call.verb)
  const attested: string[] = []
  const own = `${verb} ${key}: `
  const told = (isArray(said.by) ? said.by : []).find((by) => String(by).startsWith(own))
  const fallback = rule ?? witness.fallback
  const isAskedByCode = rule === undefined && told === `${own}ask` // whom the operation itself asks is code of its extension
  need(
    told === undefined || told === own + fallback.join(' or ') || isAskedByCode,
    'the record names another rule of the operation',
  )
  const args = at(call, 'args') ?? null
  const counting = { args, openedAt: Number(said.openedAt), target }
  const fromOutside = at(open, 'outside') === true && verb !== 'see'
  const asking = { actor: me, verb, key, target: placed(world, target), fallback, fromOutside }
  const question = verb === 'see' ? asking : { ...asking, counting }
  const answer = deriveRuleGate(world, question)
  const { asks = [], rests = null, tallies = [] } = answer
  if (!isAskedByCode) checkShadow(world, question, answer, said)
  if (answer.isOfOrigin === true && !fromOutside) attested.push(NOTHING_OUTSIDE)
  for (const [reel] of tallies) world.state(reel)
  checkCounted([...tallies, ...countedForTried(world, question)], witness)
  if (verb === 'be' && key === 'birth' && said.outcome === 'act') checkHome(world, me, args, fromOutside)
  if (asks.length > 0 || isAskedByCode)
    attested.push(...yesTo(world, { record: said, open, call, me, question, asks, rests }))
  if (answer.by.startsWith(own) && rule === undefined)
    attested.push(`that ${key} takes ${fallback.join(' or ')} is code of its extension`)
  if (isAskedByCode) attested.push(`that ${key} asks, and whom, is code of its extension`)
  return { answer: isAskedByCode && asks.length === 0 ? { ...answer, by: String(told) } : answer, attested }
}

/** Who is born elsewhere than where its maker is at home enters that place: the rules about `move` there let its maker, and ask nobody. */
function checkHome(world: World, me: State, args: Json, fromOutside: boolean): void {
  const home = at(args, 'home') ?? null
  const space = home === null ? me.home : written('canSee', String(home), me.home)
  if (space === me.home) return
  const target = { being: null, space, owner: undefined }
  const move = { actor: me, verb: 'do', key: 'move', target, fallback: ['anyone'], fromOutside }
  const { allowed, asks = [] } = deriveRuleGate(world, move)
  need(allowed && asks.length === 0, 'the rules of the place where it gave birth do not let it')
}

/** An act is counted on each reel on which rules count it. */
function checkCounted(tallies: NonNullable<Answer['tallies']>, { moment: { record }, facts }: Parts): void {
  const refs = at(record, 'facts')
  const links = isArray(facts) ? facts : []
  const wrote = new Map(
    (isArray(refs) ? refs : []).map((ref, i) => [isArray(ref) && ref[0], links[i] ?? null]),
  )
  const isCounted = tallies.every(([reel, sums]) => {
    const own = wrote.get(reel)
    const payload = isArray(own) ? own[3] : null
    return own !== undefined && sums.every((name) => at(payload, 'amounts', String(name)) !== undefined)
  })
  need(at(record, 'outcome') !== 'act' || isCounted, 'a rule counts it, and it was not counted')
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
