import {
  asJson,
  BUDGET_PERIODS,
  type Budget,
  beingReel,
  type FactDraft,
  LIMITS,
  MICROS,
  ROOT_SPACE,
  type StandardBudget,
  spaceReel,
  stanceOf,
  TreeosError,
} from '@treeos/core'
import type { Decided, DecideInput, Operation } from '../extend/extension.ts'
import { STANDARD_BUDGET, standardBudget } from '../rows/budgets.ts'
import type { BeingRow } from '../rows/rows.ts'
import { Arguments } from './arguments.ts'

/** Upper bound of any budget, so that counts stay exact whole numbers. */
const AMOUNT_MAX = 1_000_000_000
const TOKENS_MAX = 1_000_000 * AMOUNT_MAX

const COUNTED = ['momentsPerMinute', 'selfContinues', 'hops', 'births', 'tokens'] as const
/** Cognitions whose beings have a standard budget; `for` names one. */
const STANDARD_FOR = ['llm', 'scripted'] as const
/** Limits of a standard budget: the others hold for every being in any case. */
const STANDARD_LIMITS = ['momentsPerMinute', 'births', 'tokens', 'money'] as const
/** Limits that only a standard budget has. */
const JOINT = ['tokensPerPerson'] as const
const LIMITING = [...COUNTED, 'money'] as const

const setBudget: Operation = {
  name: 'set-budget',
  description:
    'Says what the target being and all its offspring may use up, and lets those go on that its old budget parked. Of / it says ' +
    'what each being without a budget of its own may use up.',
  targets: ['being', 'reality'],
  allow: ['ancestor', 'operator'],
  args: {
    momentsPerMinute: 'whole number; what is beyond waits for the next minute',
    selfContinues: 'whole number; how often each may go on by itself in one cause chain',
    hops: 'whole number; how many summons may follow one another where one of them speaks',
    births: 'whole number; how many children each may make',
    tokens: 'whole number, prompts and answers together',
    money: 'in the currency of the prices, to the millionth',
    per: 'day or total: what tokens and money are counted for; total when absent',
    tokensPerPerson: 'only of /: whole number; what all beings of one person may use together in a day',
    for: 'only of /: whose standard budget it is, llm or scripted; llm when absent',
  },
  async decide(input): Promise<Decided> {
    if (input.target.kind === 'space') return setStandard(input)
    const being = requireOther(input, 'set-budget')
    const given = new Arguments('set-budget', input.args, [...COUNTED, 'money', 'per'])
    const budget: Budget = {
      ...amount(given, 'momentsPerMinute', 1, AMOUNT_MAX),
      ...amount(given, 'selfContinues', 0, LIMITS.selfContinuesMax),
      ...amount(given, 'hops', 0, LIMITS.hopsMax),
      ...amount(given, 'births', 0, AMOUNT_MAX),
      ...amount(given, 'tokens', 0, TOKENS_MAX),
      ...money(given),
      per: given.value('per') === undefined ? 'total' : given.oneOf('per', BUDGET_PERIODS),
    }
    await requireWithinOwn(input, budget)
    await requireWithinStandard(input, being, budget)
    const payload = { budget: asJson(budget) }
    return {
      facts: [{ reel: beingReel(being.name), kind: 'being:budgeted', payload }],
      result: { being: stanceOf(being.name), ...payload },
    }
  },
}

/** What each being without a budget of its own may use up: a quality of the root space that nothing else writes. */
async function setStandard({ actor, args, world }: DecideInput): Promise<Decided> {
  if (actor.parent !== null)
    throw new TreeosError('FORBIDDEN', 'set-budget: only the operator says what all beings may use up')
  const given = new Arguments('set-budget', args, [...STANDARD_LIMITS, ...JOINT, 'per', 'for'])
  const cognition = given.value('for') === undefined ? 'llm' : given.oneOf('for', STANDARD_FOR)
  const standard: StandardBudget = {
    ...amount(given, 'momentsPerMinute', 1, AMOUNT_MAX),
    ...amount(given, 'births', 0, AMOUNT_MAX),
    ...amount(given, 'tokens', 0, TOKENS_MAX),
    ...amount(given, 'tokensPerPerson', 0, TOKENS_MAX),
    ...money(given),
    per: given.value('per') === undefined ? 'day' : given.oneOf('per', BUDGET_PERIODS),
  }
  const { revision } = standardBudget(await world.space(ROOT_SPACE), cognition)
  const value = asJson({ ...standard, revision: revision + 1 })
  const payload = { path: [STANDARD_BUDGET, cognition], value, merge: false }
  return {
    facts: [{ reel: spaceReel(ROOT_SPACE), kind: 'quality:set', payload }],
    result: { for: cognition, budget: asJson(standard) },
  }
}

const unparkBeing: Operation = {
  name: 'unpark-being',
  description:
    'Lets a parked being try again; a limit that still holds will park it again. With release it gives back what the budget of the being ' +
    'counts for model calls whose cost never came back, as in an outage.',
  targets: ['being'],
  allow: ['ancestor', 'operator'],
  args: { release: 'true: calls whose cost never came back count as nothing; may be left out' },
  decide(input): Decided {
    const being = requireOther(input, 'unpark-being')
    const given = new Arguments('unpark-being', input.args, ['release'])
    const release = given.value('release') ?? false
    if (typeof release !== 'boolean') throw given.fault('release', release, 'true or false')
    if (being.parked === undefined && !release)
      throw new TreeosError('RESOURCE_CONFLICT', `${stanceOf(being.name)} is not parked`)
    const reel = beingReel(being.name)
    const facts: FactDraft[] = [{ reel, kind: 'being:unparked', payload: release ? { release } : {} }]
    return {
      facts: [...facts, ...(release ? budgetAgain(being) : [])],
      result: { being: stanceOf(being.name) },
    }
  },
}

/** The budget of a being once more: those that it had parked go on. */
function budgetAgain({ name, budget }: BeingRow): FactDraft[] {
  if (budget === undefined) return []
  const { revision: _counted, ...limits } = budget
  return [{ reel: beingReel(name), kind: 'being:budgeted', payload: { budget: asJson(limits) } }]
}

/** A being cannot bound or free itself. The rule gate would let the operator: it has standing to every being. */
function requireOther({ actor, target }: DecideInput, operation: string): BeingRow {
  if (target.kind !== 'being') throw new TreeosError('INVALID_TYPE', `${operation} takes a being`)
  if (target.being.name === actor.name)
    throw new TreeosError('FORBIDDEN', `${operation}: ${stanceOf(actor.name)} cannot do that to itself`)
  return target.being
}

function amount<N extends (typeof COUNTED)[number] | (typeof JOINT)[number]>(
  given: Arguments,
  name: N,
  least: number,
  max: number,
): { [K in N]?: number } {
  const value = given.value(name)
  if (value === undefined || value === null) return {}
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > max)
    throw given.fault(name, value, `a whole number from ${least} to ${max}, or null for no limit`)
  return { [name]: value } as { [K in N]?: number }
}

function money(given: Arguments): Pick<Budget, 'money'> {
  const value = given.value('money')
  if (value === undefined || value === null) return {}
  if (typeof value !== 'number' || value < 0 || value > AMOUNT_MAX || !isWholeInMicros(value))
    throw given.fault(
      'money',
      value,
      `a number from 0 to ${AMOUNT_MAX}, to the millionth, or null for no limit`,
    )
  return { money: value }
}

const isWholeInMicros = (value: number): boolean => Math.round(value * MICROS) / MICROS === value

const PERIODICAL: ReadonlySet<string> = new Set(['tokens', 'money'])

/**
 * A being cannot grant more than its own budget, or those of its makers, allow. A total is not compared with a limit per day, since
 * neither bounds the other; every call draws on all of them anyway.
 */
async function requireWithinOwn({ actor, world }: DecideInput, budget: Budget): Promise<void> {
  for (const elder of [actor, ...(await world.lineage(actor.name))]) {
    const own = elder.budget
    if (own === undefined) continue
    for (const limit of LIMITING) {
      const max = own[limit]
      const wanted = budget[limit]
      if (max === undefined || wanted === undefined || wanted <= max) continue
      if (PERIODICAL.has(limit) && own.per === 'day' && budget.per === 'total') continue
      throw new TreeosError(
        'FORBIDDEN',
        `set-budget: ${limit} ${wanted} is more than the ${max} that ${stanceOf(elder.name)} has`,
      )
    }
  }
}

/**
 * A being without a budget of its own may give no other being more than the standard budget. Otherwise it could make children
 * without limits. A person may, also one who drives that being.
 */
async function requireWithinStandard(
  { actor, lender, world }: DecideInput,
  target: BeingRow,
  budget: Budget,
): Promise<void> {
  const hand = lender ?? actor
  if (hand.cognition.kind === 'human' || hand.budget !== undefined) return
  const standard = standardBudget(await world.space(ROOT_SPACE), target.cognition.kind)
  for (const limit of STANDARD_LIMITS) {
    const max = standard[limit]
    if (max === undefined) continue
    const wanted = budget[limit]
    const lastsLonger = !PERIODICAL.has(limit) || standard.per === 'day' || budget.per === 'total'
    if (wanted !== undefined && wanted <= max && lastsLonger) continue
    throw new TreeosError(
      'FORBIDDEN',
      `set-budget: ${stanceOf(hand.name)} lives by the standard budget, and may give no being more than it: ` +
        `${limit} ${wanted ?? 'without a limit'} is more than ${max}${PERIODICAL.has(limit) ? ` a ${standard.per}` : ''}`,
    )
  }
}

export const budgetOperations: readonly Operation[] = [setBudget, unparkBeing]
