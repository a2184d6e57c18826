import type { TrialEstimate, TrialLine, TrialSummary } from '@treeos/trials/forms'
import { LOCALE, t } from '../language/index.ts'
import { callText, placesOf, wordsOf } from '../words/tell.ts'

type TrialOutcome = TrialLine['would']
export type OfCandidate = TrialSummary['candidates'][string]

/** What was decided, as people read it. */
export function decisionText(decision: TrialOutcome['decision']): string {
  if (decision === null) return t('nothing')
  if (decision.kind === 'failure') return t('no answer: {{message}}', { message: decision.message })
  if (decision.kind === 'see') return decision.content === null ? t('nothing') : wordsOf(decision.content)
  const { call } = decision
  if (call.verb === 'see') return t('look at {{places}}', { places: placesOf(call) })
  if (call.verb === 'be') return callText(call)
  if (call.verb === 'do')
    return call.target === null
      ? callText(call)
      : t('{{call}} on {{target}}', { call: callText(call), target: call.target })
  const words = wordsOf(call.content)
  return call.target === null ? words : t('to {{target}}: {{words}}', { target: call.target, words })
}

/**
 * How the recorded moment ended, in words for people; null when its decision was carried out or it only
 * looked.
 */
export function trialEnd({ outcome, reason }: TrialLine['was']): string | null {
  if (outcome === 'waiting') return t('asked a person first')
  if (outcome === 'skipped') return t('was not lived')
  if (outcome !== 'failure') return null
  return reason === 'FORBIDDEN' ? t('was refused') : `${t('failed')}${reason === null ? '' : `: ${reason}`}`
}

/** What the gates would say of a decision; null where they would let it through. */
export function verdictText({ verdict, message }: Pick<TrialOutcome, 'verdict' | 'message'>): string | null {
  const why = message === undefined ? '' : `: ${message}`
  switch (verdict) {
    case 'allowed':
      return null
    case 'asks':
      return t('would ask a person first')
    case 'refused':
      return t('would be refused{{why}}', { why })
    case 'failed':
      return t('would fail{{why}}', { why })
    case 'skipped':
      return t('would not have been lived{{why}}', { why })
  }
}

/** Those whose decision would be another one first, and of these what the gates would not let through. */
export const byDifference = (lines: readonly TrialLine[]): TrialLine[] => {
  const rank = ({ same, would }: TrialLine) => (same ? 2 : would.verdict === 'allowed' ? 1 : 0)
  return lines.toSorted((a, b) => rank(a) - rank(b))
}

/** What it takes, before anything is asked. */
export function estimateText({ moments, calls, callsOfScorers, costMax }: TrialEstimate): string {
  const all = t('{{count}} calls', { count: calls + callsOfScorers })
  const cost =
    costMax === null ? t('no price of it is known') : t('{{costMax}} of money at most', { costMax })
  return t('{{count}} moments: up to {{all}} of a model, {{cost}}.', { count: moments, all, cost })
}

const momentsOfShare = (share: number, { moments }: Pick<OfCandidate, 'moments'>): number =>
  Math.round(share * moments)

/** What came of it, in a sentence: also of one that is kept with a version of a role. */
export function summaryText(
  of: Pick<OfCandidate, 'moments' | 'same' | 'refused' | 'asks' | 'failed' | 'skipped'>,
): string {
  const same = momentsOfShare(of.same, of)
  const worse = (
    [
      [t('refused'), of.refused],
      [t('asked about'), of.asks],
      [t('failed', { context: 'state' }), of.failed],
      [t('not lived'), of.skipped],
    ] as const
  ).flatMap(([word, share]) => (share === 0 ? [] : [`${momentsOfShare(share, of)} ${word}`]))
  const ended = worse.length === 0 ? t('none refused, asked about or failed') : worse.join(', ')
  return t('Of {{count}} past moments {{same}} decided the same, {{others}} otherwise: {{ended}}.', {
    count: of.moments,
    same,
    others: of.moments - same,
    ended,
  })
}

/**
 * The same of the figures that are kept with a version of a role. Whoever wrote it gave them, so some may be
 * missing.
 */
export function noteText(note: Readonly<Record<string, number | null>>): string {
  const figure = (name: string) => note[name] ?? 0
  const [moments, same, refused] = [figure('moments'), figure('same'), figure('refused')]
  const [asks, failed, skipped] = [figure('asks'), figure('failed'), figure('skipped')]
  return summaryText({ moments, same, refused, asks, failed, skipped })
}

const TENTHS = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 1 })

/** `0.0012 of money, 1.4 s`. */
export function costText({ cost, seconds }: Pick<TrialLine, 'cost' | 'seconds'>): string {
  const money = cost === null ? [] : [t('{{cost}} of money', { cost })]
  return [...money, ...(seconds === null ? [] : [`${TENTHS.format(seconds)} s`])].join(', ')
}
