import {
  type BeingName,
  type FactDraft,
  isJsonObject,
  type Json,
  type JsonObject,
  LIMITS,
  quote,
  type SpacePath,
  stanceOf,
} from '@treeos/core'
import type { WorldReader } from '../read/reader.ts'
import { SHADOW } from '../rows/qualities.ts'
import type { BeingRow, SpaceRow, TallyRow } from '../rows/rows.ts'
import { amountOf, countedFact, TALLY_KEPT, type TallyOf, tallyKey } from '../rows/tallies.ts'
import { isAmount, type RuleCount, readCount } from './count.ts'
import type { PlacedRule } from './placed-rules.ts'
import type { RuleQuestion } from './refusal.ts'
import { type Rule, readRule } from './rules.ts'

const verbOf = (verb: string, isDryRun: boolean | undefined): string =>
  isDryRun === true ? `${SHADOW}.${verb}` : verb

/** A count that a call does not keep. */
interface BrokenCount {
  readonly index: number
  /** address of the count */
  readonly by: string
  readonly why: string
}

const countsOf = ({ counts = [], beyond = [] }: Rule): readonly JsonObject[] => [...counts, ...beyond]

/**
 * The counts of a list that a call does not keep, all of them where the call cannot be counted.
 * @param field where in the rule the list stands
 */
export async function brokenCounts(
  reader: WorldReader,
  question: RuleQuestion,
  placed: PlacedRule,
  field: 'counts' | 'ask.beyond',
): Promise<BrokenCount[]> {
  const broken: BrokenCount[] = []
  const list = (field === 'counts' ? placed.rule.counts : placed.rule.beyond) ?? []
  for (const [index, value] of list.entries()) {
    const by = `${placed.by} ${field}[${index}]`
    const why = await whyBroken(reader, question, placed, readCount(value))
    if (why !== null) broken.push({ index, by, why })
  }
  return broken
}

async function whyBroken(
  reader: WorldReader,
  question: RuleQuestion,
  { path, name, isDryRun }: PlacedRule,
  count: RuleCount,
): Promise<string | null> {
  const { counting, actor, key, verb } = question
  const who = stanceOf(actor.name)
  if (counting === undefined) return `it counts acts, and ${who} cannot be counted in this way`
  const argument = count.sum ?? count.each
  const amount = argument === null ? 1 : amountIn(counting.args, argument)
  if (amount === null)
    return `it counts ${quote(argument)}, and ${quote(argumentOf(counting.args, argument ?? ''))} is not a number from 0 on`
  if (count.each !== null)
    return amount > count.most ? `${count.each} is ${amount}, and at most ${count.most} is allowed` : null
  const of = count.after ?? { verb, key: name }
  const counted = { place: path, verb: verbOf(of.verb, isDryRun), name: of.key }
  const tally = await tallyOf(reader, question, counted, count)
  const row = await reader.tally(tallyKey(tally))
  const among = [
    ...(tally.being === null ? [] : [`by ${stanceOf(tally.being)}`]),
    ...(tally.person === null ? [] : [`by ${stanceOf(tally.person)} and its offspring`]),
    ...(tally.target === null ? [] : [`on ${tally.target}`]),
    ...(count.withinSeconds === null ? [] : [`within ${count.withinSeconds} s`]),
  ].join(' ')
  if (count.after !== null)
    return happened(row, count, counting.openedAt)
      ? null
      : `${of.verb} ${of.key} has to come before, and did not${among === '' ? '' : ` ${among}`}`
  const before = sumOf(row, count, counting.openedAt)
  if (before === null) return `more than ${TALLY_KEPT} acts were done ${among}, and no more are told apart`
  if (before + amount <= count.most) return null
  const what =
    count.sum === null ? `${verb} ${key} was done ${before} times` : `${count.sum} came to ${before}`
  return `${what}${among === '' ? '' : ` ${among}`}, and at most ${count.most} is allowed`
}

const argumentOf = (args: Json, name: string): Json =>
  isJsonObject(args) && Object.hasOwn(args, name) ? (args[name] ?? null) : null

const amountIn = (args: Json, name: string): number | null => {
  const value = argumentOf(args, name)
  return isAmount(value) ? value : null
}

const sinceOf = ({ withinSeconds }: RuleCount, openedAt: number): number =>
  withinSeconds === null ? Number.NEGATIVE_INFINITY : openedAt - withinSeconds * 1000

const happened = (row: TallyRow | null, count: RuleCount, openedAt: number): boolean =>
  row !== null && row.doneAt !== null && row.doneAt > sinceOf(count, openedAt)

const NOTHING = { total: 0, sums: {}, recent: [], droppedAt: null } as const

/**
 * How often it was done, or what it came to. Null where too many acts of the time are no longer told apart.
 */
function sumOf(row: TallyRow | null, count: RuleCount, openedAt: number): number | null {
  const { total, sums, recent, droppedAt } = row ?? NOTHING
  const { sum } = count
  if (count.withinSeconds === null) return sum === null ? total : amountOf(sums, sum)
  const since = sinceOf(count, openedAt)
  if (droppedAt !== null && droppedAt > since) return null
  return recent.reduce(
    (so, { at, amounts }) => (at > since ? so + (sum === null ? 1 : amountOf(amounts, sum)) : so),
    0,
  )
}

async function tallyOf(
  reader: WorldReader,
  { actor, counting }: RuleQuestion,
  of: Pick<TallyOf, 'place' | 'verb' | 'name'>,
  { per }: RuleCount,
): Promise<TallyOf> {
  return {
    ...of,
    being: per.includes('being') ? await elderOf(reader, actor, isHuman) : null,
    person: per.includes('person') ? await elderOf(reader, actor, () => false) : null,
    target: per.includes('target') ? (counting?.target ?? '') : null,
  }
}

/**
 * The being whose acts count together with those of a being: the eldest of its makers below the operator, and
 * for `being` below the nearest person, so that none gets more by making others. Then a person counts for
 * itself.
 * @param countsAlone whose acts do not count with those of their offspring
 */
async function elderOf(
  reader: WorldReader,
  actor: BeingRow,
  countsAlone: (one: BeingRow) => boolean,
): Promise<BeingName> {
  if (countsAlone(actor)) return actor.name
  let elder = actor
  for (const maker of await reader.lineage(actor.name)) {
    if (countsAlone(maker) || maker.parent === null) break
    elder = maker
  }
  return elder.name
}

const isHuman = ({ cognition }: BeingRow): boolean => cognition.kind === 'human'

/**
 * The facts by which an act is counted: for each count of the rules that decide about it, and for each count
 * around it that such an act has to come before. Their reels are read, so that the append refuses the act
 * when one of them has moved.
 * @param isDryRun of the dry-run rules, which are all of `rules`: only so many are counted, since these may
 *   not make an act too large
 */
export async function tallyFacts(
  reader: WorldReader,
  question: RuleQuestion,
  rules: readonly PlacedRule[],
  spaces: readonly SpacePath[],
  isDryRun = false,
): Promise<FactDraft[]> {
  const { verb, key, counting } = question
  if (counting === undefined) return []
  const amounts = new Map<string, Record<string, number>>()
  const add = async (of: Pick<TallyOf, 'place' | 'verb' | 'name'>, count: RuleCount) => {
    const reel = tallyKey(await tallyOf(reader, question, of, count))
    const known = amounts.get(reel) ?? {}
    const amount = count.sum === null ? null : amountIn(counting.args, count.sum)
    amounts.set(reel, count.sum === null || amount === null ? known : { ...known, [count.sum]: amount })
  }
  for (const { rule, path: place, name } of rules)
    for (const count of countsOf(rule).map(readCount))
      if (count.after === null && count.each === null)
        await add({ place, verb: verbOf(verb, isDryRun), name }, count)
  for (const place of spaces)
    for (const count of expecting(await reader.space(place), verb, key, isDryRun))
      await add({ place, verb: verbOf(verb, isDryRun), name: key }, count)
  const all = [...amounts.keys()]
  const reels = isDryRun ? all.sort().slice(0, LIMITS.dryRunTalliesMax) : all
  await reader.prefetch(reels)
  return reels.map((reel) => countedFact(reel, amounts.get(reel) ?? {}))
}

/** The counts of a space that an act has to come before. */
function expecting(space: SpaceRow | null, verb: string, key: string, isDryRun: boolean): RuleCount[] {
  const { [isDryRun ? SHADOW : 'permissions']: permissions } = space?.qualities ?? {}
  if (!isJsonObject(permissions)) return []
  return Object.values(permissions)
    .flatMap((rules) => (isJsonObject(rules) ? Object.values(rules) : []))
    .flatMap((rule) => countsOf(readRule(rule)).map(readCount))
    .filter(({ after }) => after?.verb === verb && after.key === key)
}
