import {
  asJson,
  type FactDraft,
  type RefusalFields,
  ROOT_SPACE,
  type SpacePath,
  stanceOf,
  type Verb,
} from '@treeos/core'
import type { WorldReader } from '../read/reader.ts'
import { firstOf, once, type Soon } from '../read/soon.ts'
import { type OperationTarget, resolve, targetName } from '../read/target.ts'
import { SHADOW } from '../rows/qualities.ts'
import type { BeingRow, MatterRow } from '../rows/rows.ts'
import type { RuleAsk } from './ask.ts'
import { type PlacedRule, rulesFor, spacesAsked } from './placed-rules.ts'
import {
  type AskedRules,
  type CountedAct,
  type GateAnswer,
  GateRefusal,
  type PlacedAsk,
  type RuleQuestion,
  requireAnswer,
  type ShadowAnswer,
  type ShadowVerdict,
} from './refusal.ts'
import type { RuleProperty, RuleStanding } from './rules.ts'
import { has, isForbidden } from './standings.ts'
import { brokenCounts, tallyFacts } from './tally.ts'

/** Answer of the second gate: whether the target's side allows it. */
export type RuleDecision = Decision & { readonly shadow?: ShadowAnswer }

type Decision =
  | { readonly answer: 'allowed'; readonly by: string; readonly tallies?: readonly FactDraft[] }
  | {
      readonly answer: 'not-granted' | 'forbidden'
      readonly by: string
      readonly refusal: RefusalFields
      readonly isCounted?: true
    }
  | ({ readonly answer: 'ask'; readonly by: string; readonly refusal: RefusalFields } & Pick<
      AskedRules,
      'asks' | 'rests' | 'tallies'
    >)

/** A call that the rule gate is asked about. */
interface TargetedCall {
  readonly key: string
  readonly target: OperationTarget
  readonly fallback: RuleQuestion['fallback']
  readonly ask?: RuleQuestion['ask']
  /** left out where it cannot be counted */
  readonly counting?: Omit<CountedAct, 'target'>
  readonly fromOutside?: boolean
  readonly asksDryRun?: true
}

/** Asks the rule gate about a target. */
export function askRuleGate(
  reader: WorldReader,
  actor: BeingRow,
  verb: Verb,
  { key, target: on, fallback, ask, counting, fromOutside, asksDryRun }: TargetedCall,
): Soon<GateAnswer> {
  return once(standingPlace(reader, on), (target) => {
    const counted = counting === undefined ? undefined : { ...counting, target: targetName(on) }
    const question = { actor, verb, key, target, fallback, ask, counting: counted, fromOutside, asksDryRun }
    return once(ruleGate(reader, question), (decision) => answerOf(decision, question))
  })
}

/**
 * Whether the gate does not refuse: the act may be done now, once a person has said yes, or as far as the
 * counts of rules go. A face asks this about each being around. DO on a being asks no rule of a space, so its
 * standing alone decides, and the reasons of an answer need not be made: that saves 130 KB of garbage a
 * moment among 50 beings.
 */
export function isWithinReach(
  reader: WorldReader,
  actor: BeingRow,
  verb: Verb,
  call: Pick<TargetedCall, 'key' | 'target' | 'fallback'>,
): Soon<boolean> {
  const { target, fallback } = call
  return verb === 'do' && target.kind === 'being'
    ? hasStanding(reader, actor, target.being, fallback)
    : once(askRuleGate(reader, actor, verb, call), isPassed)
}

const isPassed = (answer: GateAnswer): boolean =>
  answer.allowed || answer.asked !== undefined || answer.isCounted === true

function hasStanding(
  reader: WorldReader,
  actor: BeingRow,
  being: BeingRow,
  standings: readonly RuleStanding[],
): Soon<boolean> {
  const asked = { actor, target: { being, space: being.space } }
  return once(
    firstOf(standings, (one) => has(reader, asked, one, being.space)),
    isFound,
  )
}

const isFound = (found: unknown): boolean => found !== undefined

/**
 * @returns the address of the rule that allows it
 * @throws {TreeosError} FORBIDDEN
 */
export const requireGranted = async (
  reader: WorldReader,
  actor: BeingRow,
  verb: Verb,
  call: TargetedCall,
): Promise<string> => requireAnswer(await askRuleGate(reader, actor, verb, call))

/**
 * Whether a rule about a call asks somebody, or says what holds of words from outside: then it matters whether a
 * person makes the call itself.
 * @param address of the target; null: the actor
 * @throws {TreeosError} of a target that is not there
 */
export async function isOfConsent(
  reader: WorldReader,
  actor: BeingRow,
  { verb, key, address }: { readonly verb: Verb; readonly key: string; readonly address: string | null },
): Promise<boolean> {
  const threads = { thread: async () => null }
  const on: OperationTarget =
    address === null
      ? { kind: 'being', being: actor }
      : await resolve({ reader, me: actor, ...threads }, address)
  const target = await standingPlace(reader, on)
  const rules = await rulesFor(reader, { actor, verb, key, target, fallback: [], fromOutside: true })
  return rules.some(({ rule }) => rule.ask !== undefined || rule.outside !== undefined)
}

/** The space where the rules for a target begin, and the owner where the target has one. */
function standingPlace(reader: WorldReader, target: OperationTarget): Soon<RuleQuestion['target']> {
  switch (target.kind) {
    case 'being':
      return { being: target.being, space: target.being.space }
    case 'space':
      return { being: null, space: target.space.path }
    case 'thread':
      return { being: null, space: ROOT_SPACE }
    case 'matter':
      return placeOfMatter(reader, target.matter)
  }
}

async function placeOfMatter(
  reader: WorldReader,
  { owner, place }: MatterRow,
): Promise<RuleQuestion['target']> {
  const holder = place?.startsWith('@') ? await reader.being(place.slice(1)) : null
  return { being: null, space: holder?.space ?? place ?? ROOT_SPACE, owner }
}

/**
 * The second gate. It reads the rules for this verb and key of every space from the target's up to the root.
 * First, `forbid`: all these rules count, so an inner space cannot lift what an outer one forbids. Then
 * `requires`: the closest space that has any decides, an exact key before a prefix before `*`. Then the
 * fallback. What is permitted so may be asked about: every `ask` of these rules counts, as with `forbid`, and
 * where the fallback decides that of the operation. Before that, every count of these rules has to hold.
 *
 * Rules of spaces do not apply to DO on a being (that is between it, its makers and the operator), nor to
 * what an owner does to its thing; a space may still say who takes or puts things in it. The operator may
 * always set the qualities of a space, rules included, so that no owner can lock a part of the world.
 * @see docs/world.md, "Rules of a space"
 */
export function ruleGate(reader: WorldReader, question: RuleQuestion): Soon<RuleDecision> {
  const isRuled = spacesAsked(question).length > 0
  const decided = isRuled ? decideByRules(reader, question) : decideByFallback(reader, question, [])
  if (question.asksDryRun !== true || question.counting === undefined) return decided
  return once(decided, async (decision) => {
    const shadow = await dryRunAnswer(reader, question, decision)
    return shadow === null ? decision : { ...decision, shadow }
  })
}

const decideByRules = async (reader: WorldReader, question: RuleQuestion): Promise<Decision> =>
  decideBy(reader, question, await rulesFor(reader, question))

/**
 * What dry-run rules would have said, where it is something else. Nothing is read where there are none, and
 * nothing is enforced.
 */
async function dryRunAnswer(
  reader: WorldReader,
  question: RuleQuestion,
  decision: Decision,
): Promise<ShadowAnswer | null> {
  const spaces = spacesAsked(question)
  const hasDryRun = async (path: SpacePath) => (await reader.space(path))?.qualities[SHADOW] !== undefined
  if (question.counting === undefined || (await firstOf(spaces, hasDryRun)) === undefined) return null
  const apart = reader.apart()
  const rules = await rulesFor(apart, question, true)
  const { answer, by } = await decideBy(apart, question, rules)
  const [was, would] = [shadowWord(decision.answer), shadowWord(answer)]
  const { verb, key, counting } = question
  const own = rules.filter(({ isDryRun }) => isDryRun === true)
  return {
    said: was === would ? null : { verb, key, on: counting.target, was, would, by },
    tallies: was === 'refused' ? [] : await tallyFacts(apart, question, own, spaces, true),
  }
}

const shadowWord = (answer: Decision['answer']): ShadowVerdict['was'] =>
  answer === 'allowed' || answer === 'ask' ? answer : 'refused'

async function decideBy(
  reader: WorldReader,
  question: RuleQuestion,
  rules: readonly PlacedRule[],
): Promise<Decision> {
  const { actor, fromOutside = false } = question
  for (const { rule, path, by } of rules) {
    if (fromOutside && rule.outside === 'forbid')
      return {
        answer: 'forbidden',
        by: `${by}.outside`,
        refusal: { of: 'rule', by, says: 'outside' },
      }
    const as = await firstOf(rule.forbid, (property) => isForbidden(reader, question, property, path))
    if (as === undefined) continue
    return {
      answer: 'forbidden',
      by,
      refusal: { of: 'rule', by, says: 'forbids', standing: show(as), actor: actor.name },
    }
  }
  for (const { rule, path, by } of rules) {
    const { requires } = rule
    if (requires === null) continue
    if ((await firstOf(requires, (property) => has(reader, question, property, path))) !== undefined)
      return permitted(reader, question, rules, by)
    const refusal = {
      of: 'rule',
      by,
      says: 'takes',
      standings: requires.map(show),
      actor: actor.name,
    } as const
    return { answer: 'not-granted', by, refusal }
  }
  return decideByFallback(reader, question, rules)
}

/** Where no rule says who may: the fallback of the question does. */
function decideByFallback(
  reader: WorldReader,
  question: RuleQuestion,
  rules: readonly PlacedRule[],
): Soon<Decision> {
  const { fallback, target } = question
  const held = firstOf(fallback, (property) => has(reader, question, property, target.space))
  if (held instanceof Promise) return held.then((one) => byFallback(reader, question, rules, one))
  return byFallback(reader, question, rules, held)
}

/** @param held the standing of the fallback that the being has */
function byFallback(
  reader: WorldReader,
  question: RuleQuestion,
  rules: readonly PlacedRule[],
  held: RuleStanding | undefined,
): Soon<Decision> {
  const { verb, key, fallback } = question
  const by = `${verb} ${key}: ${fallback.join(' or ')}`
  return held === undefined
    ? { answer: 'not-granted', by, refusal: { of: 'standing', verb, key, standings: fallback } }
    : permitted(reader, question, rules, by, question.ask)
}

/**
 * What is permitted, unless a count does not hold or somebody has to be asked. Nobody is asked before a look:
 * a rule that asks keeps what it is about unseen.
 */
function permitted(
  reader: WorldReader,
  question: RuleQuestion,
  rules: readonly PlacedRule[],
  by: string,
  ask?: RuleAsk,
): Soon<Decision> {
  const isFree = rules.length === 0 && ask === undefined && question.counting === undefined
  return isFree ? { answer: 'allowed', by } : countedOrAsked(reader, question, rules, by, ask)
}

async function countedOrAsked(
  reader: WorldReader,
  question: RuleQuestion,
  rules: readonly PlacedRule[],
  by: string,
  ask: RuleAsk | undefined,
): Promise<Decision> {
  const { actor, verb, key, target, fallback, fromOutside = false } = question
  for (const placed of rules) {
    const [broken] = await brokenCounts(reader, question, placed, 'counts')
    if (broken !== undefined) {
      const refusal = { of: 'rule', by: broken.by, says: 'count', why: broken.why } as const
      return { answer: 'not-granted', by: broken.by, refusal, isCounted: true }
    }
  }
  const asks: PlacedAsk[] = []
  for (const placed of rules) {
    const { rule, by, path: place } = placed
    const isAsking =
      rule.beyond === undefined || (await brokenCounts(reader, question, placed, 'ask.beyond')).length > 0
    if (rule.ask !== undefined && isAsking) asks.push({ ask: rule.ask, by, place })
    if (fromOutside && typeof rule.outside === 'object')
      asks.push({ ask: rule.outside.ask, by: `${by}.outside`, place })
  }
  if (ask !== undefined) asks.push({ ask, by: `${verb} ${key}: ask`, place: null })
  const tallies = await tallyFacts(reader, question, rules, spacesAsked(question))
  const [first] = asks
  if (first === undefined) return { answer: 'allowed', by, ...(tallies.length === 0 ? {} : { tallies }) }
  if (verb === 'see')
    return {
      answer: 'not-granted',
      by: first.by,
      refusal: { of: 'rule', by: first.by, says: 'look' },
    }
  const rests = asJson({
    rules: rules.map(({ rule, by }) => ({ rule, by })),
    fallback,
    ask: ask ?? null,
    permittedBy: by,
    of: { verb, key, being: target.being?.name ?? null, space: target.space, owner: target.owner ?? null },
  })
  const who = first.ask.who
  const refusal = { of: 'rule', by: first.by, says: 'asks', who, actor: actor.name } as const
  return { answer: 'ask', by: first.by, refusal, asks, rests, tallies }
}

/** A decision as an answer. Its refusal has the answer and the address of the rule that gave it. */
export function answerOf(decision: RuleDecision, question: RuleQuestion): GateAnswer {
  const { answer, by } = decision
  const shadow = decision.shadow === undefined ? {} : { shadow: decision.shadow }
  if (decision.answer === 'allowed') {
    const { tallies = [] } = decision
    return { allowed: true, by, tallies, ...shadow }
  }
  const { refusal: fields } = decision
  const refusal = () =>
    new GateRefusal(
      fields,
      { answer, by, stance: stanceOf(question.actor.name) },
      { gate: 'rules', question },
    )
  if (decision.answer !== 'ask')
    return { allowed: false, refusal, ...(decision.isCounted === true ? { isCounted: true } : {}), ...shadow }
  const { asks, rests, tallies } = decision
  return { allowed: false, refusal, asked: { asks, rests, question, tallies }, ...shadow }
}

const show = (property: RuleProperty): string =>
  typeof property === 'string' ? property : `role ${property.role}`
