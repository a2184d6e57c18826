import type { TrialLine } from '@treeos/trials/forms'
import { describe, expect, it } from 'vitest'
import {
  byDifference,
  costText,
  decisionText,
  estimateText,
  noteText,
  trialEnd,
  verdictText,
} from './trial-text.ts'

const said = (content: string, target: string | null = null) =>
  ({ kind: 'call', call: { verb: 'summon', target, content }, content: null }) as TrialLine['was']['decision']
const did = {
  kind: 'call',
  call: { verb: 'do', operation: 'till:pay', target: '/shop', args: { euros: 40 } },
  content: null,
} as TrialLine['was']['decision']

describe('a trial in words', () => {
  it.each([
    [null, 'nothing'],
    [said('good day'), 'good day'],
    [said('good day', '@ann'), 'to @ann: good day'],
    [did, 'till:pay (euros 40) on /shop'],
    [
      { kind: 'failure', code: 'LLM_FAILED', message: 'it said nothing' } as const,
      'no answer: it said nothing',
    ],
  ])('a decision: %j', (decision, words) => expect(decisionText(decision)).toBe(words))

  it('what the gates say of it, and what came of the recorded one', () => {
    expect(verdictText({ verdict: 'allowed' })).toBeNull()
    expect(verdictText({ verdict: 'refused', message: 'not in canDo' })).toBe(
      'would be refused: not in canDo',
    )
    const end = { roles: ['host'], decision: null }
    expect(trialEnd({ ...end, outcome: 'act', reason: null })).toBeNull()
    expect(trialEnd({ ...end, outcome: 'failure', reason: 'FORBIDDEN' })).toBe('was refused')
  })

  it('those that differ come first, and of these what would not be let through', () => {
    const line = (n: number, same: boolean, verdict: string) => ({ n, same, would: { verdict } }) as TrialLine
    const lines = [line(1, true, 'allowed'), line(2, false, 'allowed'), line(3, false, 'refused')]
    expect(byDifference(lines).map(({ n }) => n)).toEqual([3, 2, 1])
  })

  it('costs and figures, also those of a version that its author left out', () => {
    const estimate = { moments: 1, candidates: 1, calls: 1, callsOfScorers: 0, costMax: null }
    expect(estimateText(estimate)).toBe('1 moment: up to 1 call of a model, no price of it is known.')
    expect(costText({ cost: 0.5, seconds: 1.26 })).toBe('0.5 of money, 1.3 s')
    expect(noteText({ moments: 4, same: 0.75, refused: 0.25 })).toBe(
      'Of 4 past moments 3 decided the same, 1 otherwise: 1 refused.',
    )
    expect(noteText({})).toBe(
      'Of 0 past moments 0 decided the same, 0 otherwise: none refused, asked about or failed.',
    )
  })
})
