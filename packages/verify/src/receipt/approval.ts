/** A call that a rule asks persons about: whom the rule asks, and whether the yes to it holds. */
import { at, isArray, type Json, type JsonObject, same } from '../canonical.ts'
import { valueHash } from '../hash.ts'
import type { PlacedAsk } from './ask.ts'
import type { Question } from './question.ts'
import type { State, World } from './world.ts'

/** A rule with the persons that it asks. */
interface AskedOf {
  readonly by: string
  readonly who: readonly string[]
  readonly count: number
}

/** Who is named is asked itself if it is a person, else the nearest person among its makers. */
function askedBy(world: World, question: Question, asks: readonly PlacedAsk[]): AskedOf[] {
  return asks.map(({ ask, by, place }) => {
    const names = ask.who.flatMap((word) => namedBy(world, question, place, word))
    const persons = names.flatMap((name) => personOf(world, name) ?? [])
    return { by, who: [...new Set(persons)].sort(), count: ask.count }
  })
}

function namedBy(world: World, { actor }: Question, place: string, word: string): string[] {
  const operator = () => world.lineage(actor.name).at(-1)?.name ?? actor.name
  switch (word) {
    case 'operator':
      return [operator()]
    case 'parent':
      return [actor.parent ?? actor.name]
    case 'owner':
      return [world.space(place)?.owner ?? operator()]
    case 'contributor':
      return (world.space(place)?.contributors ?? []).map(String)
    default:
      return [word.slice(1)]
  }
}

function personOf(world: World, name: string): string | null {
  const being = world.being(name)
  if (being === null) return null
  const line = [being, ...world.lineage(name)]
  return line.find(({ isPerson, isEnded }) => isPerson && !isEnded)?.name ?? null
}

/** How the facts of its reel leave a call that waited. */
interface Approval {
  readonly asker: string
  readonly said: JsonObject
  readonly call: Json
  readonly callTie: Json
  readonly at: number
  readonly given: readonly { readonly by: string; readonly at: number }[]
  readonly state: string
}

/** @throws {MissingReel} */
function approvalOf(world: World, id: string): Approval | null {
  const [first, ...later] = world.told(`approval:${id}`)
  if (first === undefined || first.payload === null || kindOf(first.header) !== 'asked') return null
  const said = first.payload
  return later.reduce<Approval>(afterFact, {
    asker: String(at(first.header, 'actor')),
    said,
    call: said.call ?? null,
    callTie: at(said, 'ties', 'call') ?? null,
    at: Number(at(first.header, 'at')),
    given: [],
    state: 'open',
  })
}

const kindOf = (header: Json): string => String(at(header, 'kind')).slice('approval:'.length)

/** The state that an approval must be in, by the fact that ends it. */
const STATE_BEFORE: Json = { denied: 'open', expired: 'open', used: 'given', voided: 'given' }

function afterFact(now: Approval, { header, payload }: ReturnType<World['told']>[number]): Approval {
  const how = kindOf(header)
  if (how === 'given' && payload !== null && now.state === 'open') {
    const { call = null, digest = null } = payload
    const one = { by: String(at(header, 'actor')), at: Number(at(header, 'at')) }
    const given = [...(same(call, now.call) ? now.given : []), one]
    return { ...now, call, callTie: digest, given, state: isGiven(now.said, given) ? 'given' : 'open' }
  }
  return at(STATE_BEFORE, how) === now.state ? { ...now, state: how } : now
}

const rulesIn = (said: JsonObject): readonly Json[] => (isArray(said.rules) ? said.rules : [])

const isGiven = (said: JsonObject, given: Approval['given']): boolean =>
  rulesIn(said).every((rule) => {
    const [who, persons] = [at(rule, 'who'), new Set(given.map(({ by }) => by))]
    return [...persons].filter((by) => isArray(who) && who.includes(by)).length >= Number(at(rule, 'count'))
  })

/** The call of a moment, as far as a yes to it is bound to it. */
export interface Bound {
  readonly record: JsonObject
  readonly open: Json
  readonly call: Json
  readonly me: State
  readonly question: Question
  readonly asks: readonly PlacedAsk[]
  /** all that decides about the call */
  readonly rests: Json
}

/** Makers of a person. The operator made everybody, so its making does not count. */
const makersOf = (world: World, person: string): Json[] =>
  world.lineage(person).flatMap(({ name, parent }) => (parent === null ? [] : [name]))

/** Whether a person is one of these hands, or was made by one, or by the person of who makes the call. */
const isOwn = (world: World, hands: readonly Json[], head: Json, person: string): boolean =>
  hands.includes(person) || makersOf(world, person).some((name) => name === head || hands.includes(name))

/** Whether as many of those who said yes as each rule wants were not made by another of them. */
const areApart = (world: World, said: JsonObject, yes: readonly string[]): boolean =>
  rulesIn(said).every((rule) => {
    const who = at(rule, 'who')
    const asked = yes.filter((by) => isArray(who) && who.includes(by))
    const apart = asked.filter((by) => !makersOf(world, by).some((name) => asked.includes(String(name))))
    return Number(at(rule, 'count')) <= (at(rule, 'count') === 1 ? asked.length : new Set(apart).size)
  })

/** Whether the person who makes the call is one that each rule asks: making it is the yes. */
export function isOwnYes(world: World, { open, me, question, asks }: Bound): boolean {
  const isPerson = at(open, 'cognition', 'kind') === 'human' && (at(open, 'driver') ?? null) === null
  return (
    isPerson && askedBy(world, question, asks).every(({ who, count }) => count === 1 && who.includes(me.name))
  )
}

/**
 * Checks the yes by which a moment did what it did.
 * @returns what is taken from the record, in sentences
 * @throws {Error} for a yes that does not hold
 */
export function checkYes(
  world: World,
  id: string,
  { record, open, call, me, question, asks, rests }: Bound,
): string[] {
  const need = (condition: boolean, what: string): void => {
    if (!condition) throw new Error(`the yes ${id} does not hold: ${what}`)
  }
  const approval = approvalOf(world, id)
  if (approval === null) throw new Error(`nothing waited under ${id}`)
  const { asker, said, given, state } = approval
  need(asker === me.name && state === 'given', `it is ${state}, and was asked for by @${asker}`)
  need(same(approval.call, call), 'it is to another call')
  const until = (given.at(-1)?.at ?? 0) + (Number(said.expiresAt) - approval.at)
  need(Number(record.openedAt) <= until, 'it came too long before')
  const ties = at(said, 'ties')
  const ceilings = [me, ...world.lineage(me.name)].flatMap(({ name, home, ceiling }) =>
    ceiling === null ? [] : [{ being: name, home, lists: ceiling }],
  )
  const lease = said.lease ?? null
  need(approval.callTie === valueHash(call), 'another call')
  need(at(ties, 'roles') === record.stackDigest, 'other roles were worn')
  need(at(ties, 'ceilings') === valueHash(ceilings), 'other ceilings')
  need(at(ties, 'lease') === valueHash(lease), 'another lease')
  need(same(at(lease, 'driver') ?? null, at(open, 'driver') ?? null), 'another driver')
  const hands = [me.name, at(open, 'driver') ?? null]
  const yes = given.map(({ by }) => by)
  const head = personOf(world, me.name)
  need(!yes.some((by) => isOwn(world, hands, head, by)), 'it is of who makes the call, or of its offspring')
  need(areApart(world, said, yes), 'too few say yes who were not made by one another')
  const who = askedBy(world, question, asks)
  const told = rulesIn(said).map((rule) => at(rule, 'by') ?? null)
  const isWhole = same(told, [...asks.map(({ by }) => by)])
  if (isWhole)
    need(at(ties, 'rules') === valueHash({ rests: [rests], who } as unknown as Json), 'other rules')
  const persons = [...new Set(given.map(({ by }) => `@${by}`))].join(' and ')
  return [
    `that ${persons} said yes to ${id} by an act of its own is said by the facts of that reel`,
    ...(isWhole
      ? []
      : [`that the other rules that ask were the same as when it was asked is said by its record`]),
  ]
}
