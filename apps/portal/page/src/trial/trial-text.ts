import type { TrialEstimate, TrialLine, TrialSummary } from '@treeos/trials/forms'
import { plural } from '../parts/plural.ts'
import { callText, placesOf, wordsOf } from '../words/tell.ts'

type TrialOutcome = TrialLine['would']
export type OfCandidate = TrialSummary['candidates'][string]

/** What was decided, as people read it. */
export function decisionText(decision: TrialOutcome['decision']): string {
  if (decision === null) return 'nothing'
  if (decision.kind === 'failure') return `no answer: ${decision.message}`
  if (decision.kind === 'see') return decision.content === null ? 'nothing' : wordsOf(decision.content)
  const { call } = decision
  if (call.verb === 'see') return `look at ${placesOf(call)}`
  if (call.verb === 'be') return callText(call)
  if (call.verb === 'do') return `${callText(call)}${call.target === null ? '' : ` on ${call.target}`}`
  return `${call.target === null ? '' : `to ${call.target}: `}${wordsOf(call.content)}`
}

/**
 * How the recorded moment ended, in words for people; null when its decision was carried out or it only
 * looked.
 */
export function trialEnd({ outcome, reason }: TrialLine['was']): string | null {
  if (outcome === 'waiting') return 'asked a person first'
  if (outcome === 'skipped') return 'was not lived'
  if (outcome !== 'failure') return null
  return reason === 'FORBIDDEN' ? 'was refused' : `failed${reason === null ? '' : `: ${reason}`}`
}

/** What the gates would say of a decision; null where they would let it through. */
export function verdictText({ verdict, message }: Pick<TrialOutcome, 'verdict' | 'message'>): string | null {
  const why = message === undefined ? '' : `: ${message}`
  switch (verdict) {
    case 'allowed':
      return null
    case 'asks':
      return 'would ask a person first'
    case 'refused':
      return `would be refused${why}`
    case 'failed':
      return `would fail${why}`
    case 'skipped':
      return `would not have been lived${why}`
  }
}

/** Those whose decision would be another one first, and of these what the gates would not let through. */
export const byDifference = (lines: readonly TrialLine[]): TrialLine[] => {
  const rank = ({ same, would }: TrialLine) => (same ? 2 : would.verdict === 'allowed' ? 1 : 0)
  return lines.toSorted((a, b) => rank(a) - rank(b))
}

/** What it takes, before anything is asked. */
export function estimateText({ moments, calls, callsOfScorers, costMax }: TrialEstimate): string {
  const all = plural(calls + callsOfScorers, 'call')
  const cost = costMax === null ? 'no price of it is known' : `${costMax} of money at most`
  return `${plural(moments, 'moment')}: up to ${all} of a model, ${cost}.`
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
      ['refused', of.refused],
      ['asked about', of.asks],
      ['failed', of.failed],
      ['not lived', of.skipped],
    ] as const
  ).flatMap(([word, share]) => (share === 0 ? [] : [`${momentsOfShare(share, of)} ${word}`]))
  const ended = worse.length === 0 ? 'none refused, asked about or failed' : worse.join(', ')
  return `Of ${plural(of.moments, 'past moment')} ${same} decided the same, ${of.moments - same} otherwise: ${ended}.`
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

/** `0.0012 of money, 1.4 s`. */
export function costText({ cost, seconds }: Pick<TrialLine, 'cost' | 'seconds'>): string {
  const money = cost === null ? [] : [`${cost} of money`]
  return [...money, ...(seconds === null ? [] : [`${Math.round(seconds * 10) / 10} s`])].join(', ')
}
