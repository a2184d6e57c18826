import { APPROVED_PREFIX, DENIED_PREFIX, EXPIRED_PREFIX, LOOK_PREFIX } from '@treeos/core'
import type { InboxEntry, StoredOutcome, WakeState } from '@treeos/store'
import { describe, expect, it } from 'vitest'
import { type EndReader, findEnd } from './ends.ts'

const outcomeOf = (moment: string, kind: StoredOutcome['kind'] = 'act'): StoredOutcome =>
  ({ moment, being: moment.split('/')[0], kind, reason: null, detail: null }) as StoredOutcome

const answer = { id: 'echo/1/1', content: 'hello' } as InboxEntry

const OPEN: WakeState = {
  outcome: null,
  goesOn: null,
  being: 'echo',
  asked: null,
  answered: null,
  closedBy: null,
  cutBy: null,
}

interface Recorded {
  readonly wakes?: Readonly<Record<string, Partial<WakeState>>>
  /** what lies in the inbox of `ann` */
  readonly reply?: InboxEntry
  readonly outcomes?: readonly StoredOutcome[]
  readonly isThreadOpen?: boolean
}

/** A record in memory. */
const recordOf = ({ wakes = {}, reply, outcomes = [], isThreadOpen = false }: Recorded): EndReader => ({
  wakeState: async (wake) => (wakes[wake] === undefined ? null : { ...OPEN, ...wakes[wake] }),
  reply: async (asker, correlation) => (asker === 'ann' && correlation === 'c' ? (reply ?? null) : null),
  outcome: async (moment) => outcomes.find((outcome) => outcome.moment === moment) ?? null,
  isThreadOpen: async () => isThreadOpen,
})

const SUMMON = { asker: 'ann', being: 'echo', correlation: 'c' }
const endOf = (recorded: Recorded, wake = 'c') => findEnd(recordOf(recorded), SUMMON, wake)

/** Of an act of `ann` herself. */
const ACT = { asker: 'ann', being: 'ann', correlation: 'act/c' }
const endOfAct = (state: Partial<WakeState>, throughAsk = false) =>
  findEnd(recordOf({ wakes: { 'act/c': { being: 'ann', ...state } } }), { ...ACT, throughAsk }, 'act/c')

describe('a summon', () => {
  it('is waited for while its row is not there, and while no moment lived it', async () => {
    expect(await endOf({})).toEqual({ wake: 'c' })
    expect(await endOf({ wakes: { c: {} } })).toEqual({ wake: 'c' })
  })

  it('is over with the moment that answered it', async () => {
    const outcome = outcomeOf('echo/1/1')
    expect(await endOf({ wakes: { c: { outcome } }, reply: answer })).toEqual({
      outcome,
      reply: answer,
      why: null,
    })
  })

  it.each(['act', 'see', 'failure', 'skipped'] as const)(
    'is over without an answer when its moment ended as %s and asked nobody',
    async (kind) => {
      const outcome = outcomeOf('echo/1/1', kind)
      expect(await endOf({ wakes: { c: { outcome } } })).toEqual({ outcome, reply: null, why: null })
    },
  )

  it('goes on after a look, at the wake that shows what was seen', async () => {
    const goesOn = `${LOOK_PREFIX}echo/1/1`
    expect(await endOf({ wakes: { c: { outcome: outcomeOf('echo/1/1', 'see'), goesOn } } })).toEqual({
      wake: goesOn,
    })
  })

  it('goes on when its moment asked another being, unless it has answered first', async () => {
    const state = { outcome: outcomeOf('echo/1/1'), asked: 'echo/1/1' }
    expect(await endOf({ wakes: { c: state } })).toEqual({ wake: 'echo/1/1' })
    expect(await endOf({ wakes: { c: state }, reply: answer })).toMatchObject({ reply: answer })
  })

  it('is waited for while its moment waits for a yes', async () => {
    const outcome = outcomeOf('echo/1/1', 'waiting')
    expect(await endOf({ wakes: { c: { outcome } } })).toEqual({ wake: 'c' })
  })

  it('is over with the code of a conflict when its thread is cut', async () => {
    const found = await endOf({ wakes: { c: { cutBy: 'bob' } } })
    expect(found).toMatchObject({
      outcome: null,
      why: { code: 'RESOURCE_CONFLICT', detail: { reason: 'thread-cut' } },
    })
    expect((found as { why: Error }).why.message).toContain('@bob')
  })

  it('that was taken back during an outage says that it will not be done', async () => {
    expect(await endOf({ wakes: { c: { closedBy: 'withdrawn' } } })).toMatchObject({
      why: { code: 'SERVICE_UNAVAILABLE', detail: { withdrawn: true } },
    })
  })

  it('is answered by the act of a person, which has a moment of its own', async () => {
    const byHand = outcomeOf('echo/1/7')
    const found = await endOf({
      wakes: { c: { closedBy: 'echo/1/7' } },
      reply: answer,
      outcomes: [byHand],
    })
    expect(found).toEqual({ outcome: byHand, reply: answer, why: null })
  })

  it('that a person closed without a word has no answer', async () => {
    expect(await endOf({ wakes: { c: { closedBy: 'dismissed' } } })).toMatchObject({
      outcome: null,
      why: { code: 'NO_ANSWER' },
    })
  })
})

describe('a summon whose being asked another one', () => {
  const asked = { bob: { being: 'bob' } }

  it('is waited for while the other one has not answered', async () => {
    expect(await endOf({ wakes: asked }, 'bob')).toEqual({ wake: 'bob' })
  })

  it('goes on with the answer of the other one', async () => {
    expect(await endOf({ wakes: { bob: { being: 'bob', answered: 'bob/1/4' } } }, 'bob')).toEqual({
      wake: 'bob/1/4',
    })
  })

  it('is over with the reply, whichever moment sent it', async () => {
    const outcome = outcomeOf('echo/1/1')
    expect(await endOf({ wakes: asked, reply: answer, outcomes: [outcome] }, 'bob')).toEqual({
      outcome,
      reply: answer,
      why: null,
    })
  })

  it('is over without a reply only when nothing is to come of its thread', async () => {
    const outcomes = [outcomeOf('bob')]
    expect(await endOf({ wakes: asked, outcomes, isThreadOpen: true }, 'bob')).toEqual({ wake: 'bob' })
    expect(await endOf({ wakes: asked, outcomes }, 'bob')).toMatchObject({ reply: null, why: null })
  })
})

describe('an act of a person', () => {
  const waiting = outcomeOf('ann/1/1', 'waiting')

  it('that waits for a yes is over, unless the yes is waited for too', async () => {
    expect(await endOfAct({ outcome: waiting })).toMatchObject({ outcome: waiting })
    expect(await endOfAct({ outcome: waiting }, true)).toEqual({ wake: 'act/c' })
  })

  it('goes on with the moment that a yes opened', async () => {
    const goesOn = `${APPROVED_PREFIX}ann/1/1`
    expect(await endOfAct({ outcome: waiting, goesOn }, true)).toEqual({ wake: goesOn })
  })

  it.each([
    { prefix: DENIED_PREFIX, said: 'denied' },
    { prefix: EXPIRED_PREFIX, said: 'answered by nobody in time' },
  ])('that was $said is forbidden, and the error names the moment', async ({ prefix, said }) => {
    const goesOn = `${prefix}ann/1/1`
    expect(await endOfAct({ outcome: waiting, goesOn }, true)).toMatchObject({
      outcome: null,
      why: {
        code: 'FORBIDDEN',
        message: `the call was ${said}`,
        detail: { reason: goesOn, moment: 'ann/1/1' },
      },
    })
  })

  it('that asked another being is over for who waits through the yes: it has said what it says', async () => {
    const outcome = outcomeOf('ann/1/1')
    expect(await endOfAct({ outcome, asked: 'ann/1/1' }, true)).toMatchObject({ outcome })
    expect(await endOfAct({ outcome, asked: 'ann/1/1' })).toEqual({ wake: 'ann/1/1' })
  })
})
