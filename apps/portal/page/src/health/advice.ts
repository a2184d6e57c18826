import type { SpendingReport } from '@treeos/client'
import { adviceOnFailure } from '../words/failures.ts'

/** What is worth doing, and where. */
export interface HealthAdvice {
  readonly tone: 'bad' | 'warn' | 'good'
  readonly text: string
  /** the moment that shows it; left out where none does */
  readonly moment?: { readonly being: string; readonly n: number }
}

const SLOW_SECONDS = 30
/** One being that uses more than this share is worth a budget. */
const LARGE_SHARE = 0.6
const MANY_TOKENS = 10_000
const CAUSES_MAX = 4

/** What to do about cost and failures, the worst first; one good word where nothing is wrong. */
export function adviceOnSpending({ all, failures, beings, models, isAll }: SpendingReport): HealthAdvice[] {
  const advice = [...aboutFailures(failures), ...aboutModels(models), ...aboutShares(beings, all.tokens)]
  if (!isAll)
    advice.push({ tone: 'warn', text: 'More moments ended than were counted. Look at a shorter time.' })
  if (advice.length > 0) return advice
  return [
    {
      tone: 'good',
      text: all.moments === 0 ? 'Nothing happened in this time.' : 'Nothing failed, and nothing stands out.',
    },
  ]
}

function aboutFailures(failures: SpendingReport['failures']): HealthAdvice[] {
  const causeOf = ({ reason, message }: SpendingReport['failures'][number]) =>
    `${reason} ${adviceOnFailure(reason, message).many}`
  return [...Map.groupBy(failures, causeOf).values()]
    .sort((a, b) => b.length - a.length)
    .slice(0, CAUSES_MAX)
    .map((some) => {
      const [newest] = some
      const reason = newest?.reason ?? null
      const who = most(some.map(({ being }) => being))
      const count = some.length === 1 ? 'A moment' : `${some.length} moments`
      const text = `${count} failed with ${reason ?? 'no reason'}, ${some.length === 1 ? 'of' : 'most of'} ${who}. ${adviceOnFailure(reason, newest?.message ?? null).many}`
      return {
        tone: 'bad' as const,
        text,
        ...(newest === undefined ? {} : { moment: { being: newest.being, n: newest.n } }),
      }
    })
}

const aboutModels = (models: SpendingReport['models']): HealthAdvice[] =>
  models.flatMap(({ name, seconds }) =>
    name === null || seconds === null || seconds.p95 < SLOW_SECONDS
      ? []
      : [
          {
            tone: 'warn' as const,
            text: `One in twenty moments with ${name} took ${Math.round(seconds.p95)} s and more. A smaller model, or shorter prompts, answer sooner.`,
          },
        ],
  )

function aboutShares(beings: SpendingReport['beings'], tokens: number): HealthAdvice[] {
  const largest = beings.toSorted((a, b) => b.tokens - a.tokens)[0]
  if (
    largest === undefined ||
    beings.length < 2 ||
    tokens < MANY_TOKENS ||
    largest.tokens < LARGE_SHARE * tokens
  )
    return []
  const share = Math.round((100 * largest.tokens) / tokens)
  return [
    {
      tone: 'warn',
      text: `${largest.name ?? 'One being'} used ${share} % of all tokens. A budget on its page bounds that.`,
    },
  ]
}

function most(names: readonly string[]): string {
  const [first] = [...Map.groupBy(names, (name) => name)].sort(([, a], [, b]) => b.length - a.length)
  return first?.[0] ?? ''
}
