import type { SpendingReport } from '@treeos/client'
import { t } from '../language/index.ts'
import { adviceOnFailure } from '../words/failures.ts'

/** What is worth doing. */
export interface HealthAdvice {
  readonly tone: 'warn' | 'good'
  readonly text: string
}

const SLOW_SECONDS = 30
/** One being that uses more than this share is worth a budget. */
const LARGE_SHARE = 0.6
const MANY_TOKENS = 10_000

/** What to do about cost and slow models; one word where nothing stands out. Failures stand by themselves. */
export function adviceOnSpending({ all, beings, models, isAll }: SpendingReport): HealthAdvice[] {
  const advice = [...aboutModels(models), ...aboutShares(beings, all.tokens)]
  if (!isAll)
    advice.push({ tone: 'warn', text: t('More moments ended than were counted. Look at a shorter time.') })
  if (advice.length > 0) return advice
  return [
    {
      tone: 'good',
      text: all.moments === 0 ? t('Nothing happened in this time.') : t('Nothing stands out.'),
    },
  ]
}

/** Failures that one deed mends. */
interface CauseToMend {
  readonly key: string
  readonly reason: string | null
  readonly advice: string
  readonly count: number
  readonly newest: SpendingReport['failures'][number]
  readonly messages: ReadonlySet<string | null>
}

/** Failures with different messages that need the same, as one; the most frequent first. */
export function causesToMend(causes: SpendingReport['causes']): CauseToMend[] {
  const adviceOn = ({ reason, message }: SpendingReport['causes'][number]) =>
    adviceOnFailure(reason, message).many
  return [...Map.groupBy(causes, (one) => `${one.reason} ${adviceOn(one)}`)]
    .flatMap(([key, some]) => {
      const [first] = some
      if (first === undefined) return []
      const newest = some.map((one) => one.newest).reduce((a, b) => (b.at > a.at ? b : a))
      return {
        key,
        reason: first.reason,
        advice: adviceOn(first),
        count: some.reduce((sum, { count }) => sum + count, 0),
        newest,
        messages: new Set(some.map(({ message }) => message)),
      }
    })
    .sort((a, b) => b.count - a.count)
}

const aboutModels = (models: SpendingReport['models']): HealthAdvice[] =>
  models.flatMap(({ name, seconds }) =>
    name === null || seconds === null || seconds.p95 < SLOW_SECONDS
      ? []
      : [
          {
            tone: 'warn' as const,
            text: t(
              'One in twenty moments with {{name}} took {{seconds}} s and more. A smaller model, or shorter prompts, answer sooner.',
              { name, seconds: Math.round(seconds.p95) },
            ),
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
      text: t('{{name}} used {{share}} % of all tokens. A budget on its page bounds that.', {
        name: largest.name ?? t('One being'),
        share,
      }),
    },
  ]
}
