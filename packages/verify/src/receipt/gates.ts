import { ancestry } from '../ancestry.ts'
import { at, isArray, isObject, type Json, type JsonObject } from '../canonical.ts'
import { written } from '../written.ts'
import { type Ask, type PlacedAsk, readAsk } from './ask.ts'
import { areCounts, isKept, talliesOf } from './counts.ts'
import type { Question } from './question.ts'
import type { State, World } from './world.ts'

/** Answer of a gate, with the entry, list, ceiling or rule that gave it. */
export interface Answer {
  readonly allowed: boolean
  readonly by: string
  /** rules that ask persons about what it allows; left out for none */
  readonly asks?: readonly PlacedAsk[]
  /** where rules ask, all that decides about the call */
  readonly rests?: Json
  /** reels on which what is allowed is counted; left out where nothing can be counted */
  readonly tallies?: readonly (readonly [reel: string, sums: readonly Json[]])[]
  /** a rule that was asked says otherwise where a moment holds words from outside */
  readonly isOfOrigin?: true
}

export type List = 'canSee' | 'canDo' | 'canSummon' | 'canBe'
export const LIST_OF: Readonly<Record<string, List>> = {
  see: 'canSee',
  do: 'canDo',
  summon: 'canSummon',
  be: 'canBe',
}

function matches(pattern: string, target: string): boolean {
  if (pattern === '*') return true
  const [open, close] = [pattern.startsWith('*'), pattern.endsWith('*')]
  const body = pattern.slice(open ? 1 : 0, close ? -1 : undefined)
  if (open && close) return target.includes(body)
  return open ? target.endsWith(body) : close ? target.startsWith(body) : target === body
}

/** The pattern of an entry that is compared as text; null for one that names beings in a space, or a kind of its own. */
const textPattern = (entry: Json): string | null => {
  const pattern = at(entry, 'pattern')
  if (typeof pattern !== 'string' || at(entry, 'kind') !== undefined) return null
  const place = pattern.lastIndexOf('/@')
  return place < 0 || pattern.slice(0, place).includes('*') ? pattern : null
}

const covering = (entries: readonly Json[], target: string): Json | undefined =>
  entries.find((entry) =>
    typeof entry === 'string' ? entry === target : matches(String(at(entry, 'pattern')), target),
  )

/** Who wears a list, for tokens. */
export interface Wearer {
  readonly me: State
  readonly asker: string | null
}

/**
 * Expands one entry of a role.
 * @returns null for an entry that code of the runtime or of an extension expands: its expansion can only be attested
 */
export function expanded(list: string, entry: Json, { me, asker }: Wearer): Json[] | null {
  if (typeof entry === 'string') return [written(list, entry, me.home)]
  const pattern = textPattern(entry)
  if (pattern !== null) return [{ pattern }]
  const stances = (names: readonly (string | null)[]) =>
    names.flatMap((name) => (name === null ? [] : [written(list, `@${name}`, me.home)]))
  const [rel, one] = [at(entry, 'rel'), { self: me.name, asker, parent: me.parent }]
  if (rel === 'self' || rel === 'asker' || rel === 'parent') return stances([one[rel]])
  switch (rel) {
    case 'any-child':
      if (me.children === null) throw new Error('it does not name the children that a role reaches for')
      return stances(me.children)
    default:
      return null
  }
}

/** The first gate: the expanded list holds the target, and so do the ceilings of the being and of all its makers. */
export function deriveListGate(
  world: World,
  me: State,
  surface: JsonObject,
  list: List,
  target: string,
): Answer {
  const held = surface[list]
  const entry = covering(isArray(held) ? held : [], target)
  if (entry === undefined) return { allowed: false, by: list }
  for (const { name, home, ceiling } of [me, ...world.lineage(me.name)]) {
    if (ceiling === null) continue
    const bound = at(ceiling, list)
    const entries = (isArray(bound) ? bound : []).flatMap((item): Json[] => {
      if (typeof item === 'string') return [written(list, item, home)]
      const pattern = textPattern(item)
      return pattern === null ? [] : [{ pattern }]
    })
    if (covering(entries, target) === undefined)
      return { allowed: false, by: `the ceiling of @${name} in ${list}` }
  }
  return { allowed: true, by: `${list}: ${typeof entry === 'string' ? entry : JSON.stringify(entry)}` }
}

const OWNERS_OWN = ['set-matter', 'write-matter', 'end-matter']
const STANDINGS = ['anyone', 'self', 'parent', 'ancestor', 'owner', 'contributor', 'home', 'operator']

/**
 * The second gate: what the spaces around the target forbid, then what the closest of them permits, then the operation's own rule; and what they ask.
 * @param isTried with the rules that are tried, each in the place of its own
 */
export function deriveRuleGate(world: World, question: Question, isTried = false): Answer {
  const { verb, key, target, fallback, fromOutside } = question
  const spaces = spacesAsked(question)
  const rules = spaces.flatMap((path) => rulesOf(world, path, [verb, key], isTried))
  for (const { rule, path, by } of rules) {
    if (fromOutside && rule.outside === 'forbid') return { allowed: false, by: `${by}.outside` }
    if (rule.forbid.some((property) => isForbidden(world, question, property, path)))
      return { allowed: false, by }
  }
  for (const { rule, path, by } of rules)
    if (rule.requires !== null)
      return asked(world, question, rules, {
        allowed: rule.requires.some((property) => has(world, question, property, path)),
        by,
      })
  const isAllowed = fallback.some((property) => has(world, question, property, target.space))
  return asked(world, question, rules, { allowed: isAllowed, by: `${verb} ${key}: ${fallback.join(' or ')}` })
}

/**
 * What is allowed and keeps the counts of the rules, with the rules that ask persons about it. Nobody is asked before a look: such a rule
 * refuses it.
 */
function asked(world: World, question: Question, rules: readonly PlacedRule[], answer: Answer): Answer {
  if (!answer.allowed) return answer
  const { verb, key, target, fallback, counting, fromOutside } = question
  for (const placed of rules) {
    const broken = (placed.rule.counts ?? []).findIndex((count) => !isKept(world, question, placed, count))
    if (broken >= 0) return { allowed: false, by: `${placed.by} counts[${broken}]` }
  }
  const asks = rules.flatMap((placed) => {
    const { rule, by, path: place } = placed
    const isBelow = rule.beyond?.every((count) => isKept(world, question, placed, count)) ?? false
    return [
      ...(rule.ask === undefined || isBelow ? [] : [{ ask: rule.ask, by, place }]),
      ...(fromOutside && typeof rule.outside === 'object'
        ? [{ ask: rule.outside.ask, by: `${by}.outside`, place }]
        : []),
    ]
  })
  const [first] = asks
  const tallies = counting === undefined ? {} : { tallies: countedFor(world, question, rules, 'permissions') }
  const ofOrigin = rules.some(({ rule }) => rule.outside !== undefined) ? { isOfOrigin: true as const } : {}
  if (first === undefined) return { ...answer, ...tallies, ...ofOrigin }
  if (verb === 'see') return { allowed: false, by: first.by }
  const { being, space, owner = null } = target
  const rests = {
    rules: rules.map(({ rule, by }) => ({ rule, by })),
    fallback,
    ask: null,
    permittedBy: answer.by,
    of: { verb, key, being: being?.name ?? null, space, owner },
  } as unknown as Json
  return { allowed: true, by: first.by, asks, rests, ...tallies, ...ofOrigin }
}

/** The reels on which a call is counted for rules about it, and for those around it, as a quality of spaces has them, that it has to come before. */
export function countedFor(
  world: World,
  question: Question,
  rules: readonly PlacedRule[],
  quality: 'permissions' | 'shadow',
): NonNullable<Answer['tallies']> {
  const counted = rules.map((placed) => ({ ...placed, counts: countsOf(placed.rule) }))
  const of = (value: Json | undefined) => (isObject(value) ? value : {})
  const around = spacesAsked(question).flatMap((path) =>
    Object.values(of(world.space(path)?.[quality]))
      .flatMap((named) => (isObject(named) ? Object.values(named) : []))
      .map((rule) => ({ path, counts: countsOf(readRule(rule)) })),
  )
  return talliesOf(world, question, counted, around, quality === 'shadow')
}

interface Rule {
  readonly requires: readonly Json[] | null
  readonly forbid: readonly Json[]
  readonly ask?: Ask
  readonly beyond?: readonly JsonObject[]
  readonly counts?: readonly JsonObject[]
  /** what holds besides where the moment holds words from outside */
  readonly outside?: 'forbid' | { readonly ask: Ask }
}

interface PlacedRule {
  readonly rule: Rule
  readonly path: string
  readonly name: string
  readonly by: string
  /** it is tried: its counts have reels of their own */
  readonly isTried: boolean
}

const countsOf = ({ counts = [], beyond = [] }: Rule): readonly JsonObject[] => [...counts, ...beyond]

/** Whether rules of spaces do not apply to a call. */
const isExempt = ({ verb, key, actor, target }: Question): boolean =>
  (verb === 'do' && target.being !== null) ||
  (key === 'set-space' && actor.parent === null) ||
  (target.owner !== undefined && OWNERS_OWN.includes(key))

/** The spaces whose rules are asked, the target's first. */
export const spacesAsked = (question: Question): readonly string[] =>
  isExempt(question) ? [] : ancestry(question.target.space)

export function rulesOf(
  world: World,
  path: string,
  [verb, key]: [string, string],
  isTried: boolean,
): PlacedRule[] {
  const own = at(world.space(path)?.permissions, verb)
  const shadow = isTried ? at(world.space(path)?.shadow, verb) : undefined
  const tried = isObject(shadow) ? shadow : {}
  const rules: JsonObject = { ...(isObject(own) ? own : {}), ...tried }
  return Object.keys(rules)
    .filter((name) => name === key || (name.endsWith('*') && key.startsWith(name.slice(0, -1))))
    .sort((a, b) => Number(b === key) - Number(a === key) || b.length - a.length)
    .map((name) => {
      const place = Object.hasOwn(tried, name) ? 'shadow' : 'permissions'
      const rule = readRule(rules[name] ?? null)
      return { rule, path, name, by: `${path} ${place}.${verb}.${name}`, isTried: place === 'shadow' }
    })
}

const isProperty = (value: Json): boolean =>
  typeof value === 'string'
    ? STANDINGS.includes(value)
    : isObject(value) &&
      Object.keys(value).join() === 'role' &&
      /^[a-z][a-z0-9-]{0,63}(:[a-z][a-z0-9-]{0,63})?$/.test(String(value.role))

/** @returns null for what is malformed */
function readOutside(value: Json): Rule['outside'] | null {
  if (value === 'forbid') return value
  const ask = isObject(value) && Object.keys(value).join() === 'ask' ? readAsk(value.ask ?? null) : null
  return ask === null ? null : { ask }
}

/** A malformed rule permits nobody. */
function readRule(value: Json): Rule {
  if (value === true) return { requires: ['anyone'], forbid: [] }
  const nobody = { requires: [], forbid: [] }
  if (!isObject(value) || Object.keys(value).length === 0) return nobody
  const { requires, forbid = [], ask: asks, counts, outside: otherwise, ...unknown } = value
  if (Object.keys(unknown).length > 0 || !isArray(forbid) || !forbid.every(isProperty)) return nobody
  const { beyond, ...plain } = isObject(asks) ? asks : {}
  const ask = asks === undefined ? undefined : readAsk(isObject(asks) ? plain : asks)
  const outside = otherwise === undefined ? undefined : readOutside(otherwise)
  if (outside === null) return nobody
  if (ask === null || [counts, beyond].some((list) => list !== undefined && !areCounts(list))) return nobody
  const rest = {
    forbid,
    ...(ask === undefined ? {} : { ask }),
    ...(beyond === undefined ? {} : { beyond: beyond as readonly JsonObject[] }),
    ...(counts === undefined ? {} : { counts: counts as readonly JsonObject[] }),
    ...(outside === undefined ? {} : { outside }),
  }
  if (requires === undefined) return { requires: null, ...rest }
  return isArray(requires) ? { requires: requires.filter(isProperty), ...rest } : nobody
}

/** Whether the actor is to the target what a rule names. @param place the space that has the rule */
function has(world: World, { actor, target }: Question, property: Json, place: string): boolean {
  if (isObject(property))
    return isConferred(world, actor, place, (being) => being.defaultRole === property.role)
  const space = () => world.space(target.space)
  switch (property) {
    case 'anyone':
      return true
    case 'self':
      return target.being?.name === actor.name
    case 'parent':
      return target.being?.parent === actor.name
    case 'ancestor':
      return target.being !== null && world.isAncestor(actor.name, target.being.name)
    case 'operator':
      return actor.parent === null
    case 'owner': {
      const owner = target.owner ?? space()?.owner ?? null
      return owner !== null && world.isOrMade(actor.name, owner)
    }
    case 'contributor':
      return space()?.contributors.includes(actor.name) ?? false
    default:
      return isConferred(world, actor, place, ({ home }) => ancestry(home).includes(place))
  }
}

/** A role or a home counts where the operator, the owner of the place, or a maker that has it the same way gave it. */
function isConferred(world: World, actor: State, place: string, held: (being: State) => boolean): boolean {
  const owner = world.space(place)?.owner ?? null
  const line = [actor, ...world.lineage(actor.name)]
  for (const [i, being] of line.entries()) {
    if (!held(being)) return false
    const maker = line[i + 1]
    if (being.parent === null) return true
    if (maker === undefined) return false
    if (maker.parent === null || (owner !== null && world.isOrMade(maker.name, owner))) return true
  }
  return false
}

/** A ban of a role, a home, an owner or a contributor is one of all offspring too; the operator's own are not inherited. */
function isForbidden(world: World, question: Question, property: Json, place: string): boolean {
  if (typeof property === 'string' && !['owner', 'contributor', 'home'].includes(property))
    return has(world, question, property, place)
  const makers = world.lineage(question.actor.name).filter(({ parent }) => parent !== null)
  return [question.actor, ...makers].some((actor) => {
    if (isObject(property)) return actor.defaultRole === property.role
    if (property === 'home') return ancestry(actor.home).includes(place)
    return has(world, { ...question, actor }, property, place)
  })
}
