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
import type { DecidedOperation, DecideInput } from '../extend/extension.ts'
import { STANDARD_BUDGET, standardBudget } from '../rows/budgets.ts'
import type { BeingRow } from '../rows/rows.ts'
import { type ArgumentForm, type ArgumentForms, FLAG, oneOf, optional } from './argument-forms.ts'
import type { Arguments } from './arguments.ts'
import { defineBuiltIn } from './define-built-in.ts'

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

/** A whole number; null means without a limit. */
const amountArgument = (least: number, most: number, about: string): ArgumentForm =>
  optional({ type: 'integer', minimum: least, maximum: most }, about, {
    right: `a whole number from ${least} to ${most}, or null for no limit`,
  })

const perArgument = optional(
  oneOf(BUDGET_PERIODS),
  'day or total: what tokens and money are counted for; total when absent',
)

/** What a budget of a being takes. */
const OF_BEING: ArgumentForms = {
  momentsPerMinute: amountArgument(1, AMOUNT_MAX, 'whole number; what is beyond waits for the next minute'),
  selfContinues: amountArgument(
    0,
    LIMITS.stepsMax,
    'whole number; how many steps of its own each may take for one question',
  ),
  hops: amountArgument(
    0,
    LIMITS.hopsMax,
    'whole number; how many summons may follow one another where one of them speaks',
  ),
  births: amountArgument(0, AMOUNT_MAX, 'whole number; how many children each may make'),
  tokens: amountArgument(0, TOKENS_MAX, 'whole number, prompts and answers together'),
  money: optional(
    { type: 'number', minimum: 0, maximum: AMOUNT_MAX },
    'in the currency of the prices, to the millionth',
    {
      right: `a number from 0 to ${AMOUNT_MAX}, to the millionth, or null for no limit`,
      isRight: (value) => isWholeInMicros(Number(value)),
    },
  ),
  per: perArgument,
}

/** What only the standard budgets take. */
const OF_REALITY: ArgumentForms = {
  tokensPerPerson: amountArgument(
    0,
    TOKENS_MAX,
    'only of /: whole number; what all beings of one person may use together in a day',
  ),
  for: optional(
    oneOf(STANDARD_FOR),
    'only of /: whose standard budget it is, llm or scripted; llm when absent',
  ),
}

const setBudget = defineBuiltIn({
  name: 'set-budget',
  wordless: true,
  description:
    'Says what the target being and all its offspring may use up, and lets those go on that its old budget parked. Of / it says ' +
    'what each being without a budget of its own may use up.',
  targets: ['being', 'reality'],
  allow: ['ancestor', 'operator'],
  takes: { ...OF_BEING, ...OF_REALITY },
  async decide(input, given): Promise<DecidedOperation> {
    if (input.target.kind === 'space') return setStandard(input, given)
    const being = requireOther(input, 'set-budget')
    given.requireAmong(Object.keys(OF_BEING))
    const budget: Budget = {
      ...limitsIn(given, LIMITING),
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
})

/**
 * What each being without a budget of its own may use up: a quality of the root space that nothing else
 * writes.
 */
async function setStandard({ actor, world }: DecideInput, given: Arguments): Promise<DecidedOperation> {
  if (actor.parent !== null)
    throw new TreeosError('FORBIDDEN', 'set-budget: only the operator says what all beings may use up')
  given.requireAmong([...STANDARD_LIMITS, 'per', ...Object.keys(OF_REALITY)])
  const cognition = given.value('for') === undefined ? 'llm' : given.oneOf('for', STANDARD_FOR)
  const standard: StandardBudget = {
    ...limitsIn(given, [...STANDARD_LIMITS, ...JOINT]),
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

const unparkBeing = defineBuiltIn({
  name: 'unpark-being',
  wordless: true,
  description:
    'Lets a parked being try again; a limit that still holds will park it again. With release it gives back what the budget of the being ' +
    'counts for model calls whose cost never came back, as in an outage.',
  targets: ['being'],
  allow: ['ancestor', 'operator'],
  takes: {
    release: optional(FLAG, 'true: calls whose cost never came back count as nothing; may be left out'),
  },
  decide(input, given): DecidedOperation {
    const being = requireOther(input, 'unpark-being')
    const release = given.flag('release', false)
    if (being.parked === undefined && !release)
      throw new TreeosError('RESOURCE_CONFLICT', `${stanceOf(being.name)} is not parked`)
    const reel = beingReel(being.name)
    const facts: FactDraft[] = [{ reel, kind: 'being:unparked', payload: release ? { release } : {} }]
    return {
      facts: [...facts, ...(release ? budgetAgain(being) : [])],
      result: { being: stanceOf(being.name) },
    }
  },
})

/** The budget of a being once more: those that it had parked go on. */
function budgetAgain({ name, budget }: BeingRow): FactDraft[] {
  if (budget === undefined) return []
  const { revision: _counted, ...limits } = budget
  return [{ reel: beingReel(name), kind: 'being:budgeted', payload: { budget: asJson(limits) } }]
}

/**
 * A being cannot bound or free itself. The rule gate would let the operator: it has standing to every being.
 */
function requireOther({ actor, target }: DecideInput, operation: string): BeingRow {
  if (target.kind !== 'being') throw new TreeosError('INVALID_TYPE', `${operation} takes a being`)
  if (target.being.name === actor.name)
    throw new TreeosError('FORBIDDEN', `${operation}: ${stanceOf(actor.name)} cannot do that to itself`)
  return target.being
}

/** The limits that are given, of those that may be. */
function limitsIn<Name extends string>(
  given: Arguments,
  names: readonly Name[],
): { readonly [N in Name]?: number } {
  const limits = names.flatMap((name): [string, number][] => {
    const value = given.value(name)
    return value === undefined ? [] : [[name, Number(value)]]
  })
  return Object.fromEntries(limits) as { [N in Name]?: number }
}

const isWholeInMicros = (value: number): boolean => Math.round(value * MICROS) / MICROS === value

const PERIODICAL: ReadonlySet<string> = new Set(['tokens', 'money'])

/**
 * A being cannot grant more than its own budget, or those of its makers, allow. A total is not compared with
 * a limit per day, since neither bounds the other; every call draws on all of them anyway.
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
 * A being without a budget of its own may give no other being more than the standard budget. Otherwise it
 * could make children without limits. A person may, also one who drives that being.
 */
async function requireWithinStandard(
  { actor, lender, world }: DecideInput,
  target: BeingRow,
  budget: Budget,
): Promise<void> {
  const giver = lender ?? actor
  if (giver.cognition.kind === 'human' || giver.budget !== undefined) return
  const standard = standardBudget(await world.space(ROOT_SPACE), target.cognition.kind)
  for (const limit of STANDARD_LIMITS) {
    const max = standard[limit]
    if (max === undefined) continue
    const wanted = budget[limit]
    const lastsLonger = !PERIODICAL.has(limit) || standard.per === 'day' || budget.per === 'total'
    if (wanted !== undefined && wanted <= max && lastsLonger) continue
    throw new TreeosError(
      'FORBIDDEN',
      `set-budget: ${stanceOf(giver.name)} lives by the standard budget, and may give no being more than it: ` +
        `${limit} ${wanted ?? 'without a limit'} is more than ${max}${PERIODICAL.has(limit) ? ` a ${standard.per}` : ''}`,
    )
  }
}

export const budgetOperations = [setBudget, unparkBeing] as const
