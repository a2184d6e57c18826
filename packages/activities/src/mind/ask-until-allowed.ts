import { type MomentId, parseMomentId, type RefusedTry } from '@treeos/core'
import { type Prompt, viewBlock } from '@treeos/signature'
import { type CallAttempt, settle } from '@treeos/store'
import { callText } from '@treeos/world'
import type { BeatDeps } from '../deps.ts'
import { withPostgresRetry } from '../guard/guard.ts'
import { askWithinBudgets, newAttempt, type OpeningReservation } from '../model/ask-within-budgets.ts'
import { type Model, type ModelAnswer, type ModelRequest, ModelTransientError } from '../model/model.ts'
import { askInOrder } from './fallbacks.ts'

type DecisionWithinBudgets = Awaited<ReturnType<typeof askWithinBudgets<ModelAnswer>>>

/** What a model decided in the end, with what was refused before. */
type ModelDecision = Exclude<DecisionWithinBudgets, { readonly breach: unknown }> & {
  readonly tries: readonly RefusedTry[]
  /** that decided */
  readonly model: Model
}

interface BudgetedAttempt {
  readonly model: Model
  readonly moment: MomentId
  /** number of the reservation */
  readonly attempt: number
  readonly reservation: OpeningReservation | null
  readonly request: ModelRequest
  /** prose is the answer to whoever waits */
  readonly proseAnswers: boolean
  /** why the gates refuse what it decided; null when they do not */
  readonly refusalOf: (answer: ModelAnswer) => Promise<RefusedTry | null>
}

/**
 * Asks a model, and again when what it called is refused: it is told why, and may do something else. Each
 * time is a call within the budgets. When no further call is possible, the last decision stands, and its
 * moment fails as it would have.
 * @throws {ModelTransientError} from the first call
 */
export async function askUntilAllowed(
  deps: BeatDeps,
  { model: asked, moment, attempt, reservation, request, proseAnswers, refusalOf }: BudgetedAttempt,
): Promise<ModelDecision | Extract<DecisionWithinBudgets, { readonly breach: unknown }>> {
  const { being } = parseMomentId(moment)
  const first = await askInOrder(deps, {
    model: asked,
    moment,
    attempt,
    reservation,
    request,
    callOf: (model) => model,
    failureOf: ({ decision }) => (decision.kind === 'failure' ? decision.message : null),
  })
  if ('breach' in first) return first
  const { model } = first
  let last: ModelDecision = { ...first, tries: [] }
  while (last.tries.length < deps.triesMax) {
    const refused = await refusalOf(last.answer)
    if (refused === null) break
    const tries = [...last.tries, refused]
    const { settlement } = last
    if (settlement !== null)
      await withPostgresRetry(deps.observe, () => settle(deps.db, settlement, settlement.used))
    const next = await askOnceMore(
      deps,
      model,
      { being, moment, attempt: newAttempt() },
      {
        ...request,
        prompt: withRefusals(request.prompt, tries, proseAnswers),
      },
    )
    if (next === null) break
    last = { ...next, model, answer: { ...next.answer, usage: sumOf(last.answer, next.answer) }, tries }
  }
  return last
}

/** @returns null when the budgets do not allow it, or the model does not answer now */
async function askOnceMore(deps: BeatDeps, model: Model, attempt: CallAttempt, request: ModelRequest) {
  try {
    const asked = await askWithinBudgets(deps, model, attempt, null, request)
    return 'breach' in asked ? null : asked
  } catch (error) {
    if (!(error instanceof ModelTransientError)) throw error
    deps.observe.error('another try of a refused call', error)
    return null
  }
}

/** What all calls used; null when one did not say it. */
function sumOf(one: Pick<ModelAnswer, 'usage'>, other: Pick<ModelAnswer, 'usage'>): ModelAnswer['usage'] {
  if (one.usage === null || other.usage === null) return null
  const sum = { ...one.usage, ...other.usage }
  for (const field of Object.keys(sum) as (keyof typeof sum)[])
    sum[field] = Number(one.usage[field] ?? 0) + Number(other.usage[field] ?? 0)
  return sum
}

const OR_SPEAK = 'Answer in plain words, or call something else.'
const OR_STOP = 'Call something else, or make no tool call.'

/**
 * The prompt of a further try: what was refused stands at its end, where nothing that stays the same is
 * changed.
 */
function withRefusals({ system, user }: Prompt, tries: readonly RefusedTry[], proseAnswers: boolean): Prompt {
  const lines = tries.map(
    ({ call, code, message }) => `${call === null ? 'your call' : callText(call)}: ${code}: ${message}`,
  )
  const told = viewBlock('refused', lines.join('\n'))
  return {
    system,
    user: `${user}\n\n${told}\nThis was refused, and nothing was done. ${proseAnswers ? OR_SPEAK : OR_STOP}`,
  }
}
