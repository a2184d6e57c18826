import { LOOK_PREFIX, newWake } from '@treeos/core'
import type { InboxEntry, StoredDecision, StoredOpen, StoredOutcome } from '@treeos/store'
import { describe, expect, it } from 'vitest'
import { describeOutcome } from './moments.ts'

const BEFORE = Date.UTC(2026, 0, 2, 3, 4, 5)

const outcome = (fields: Partial<StoredOutcome> = {}, record: Partial<StoredOutcome['record']> = {}) =>
  ({
    moment: 'echo/1/7',
    being: 'echo',
    n: 7,
    kind: 'act',
    reason: null,
    detail: null,
    wake: 'c',
    ...fields,
    record: { openedAt: BEFORE, stack: null, stackDigest: null, promptDigest: null, act: null, ...record },
  }) as StoredOutcome

const asked = newWake({
  id: 'c',
  being: 'echo',
  kind: 'summon',
  priority: 1,
  content: 'hello',
  root: 'c',
  caller: { name: 'ann', role: null, cognition: 'human' },
} as unknown as Parameters<typeof newWake>[0])
const entry = (fields: Partial<InboxEntry> = {}) => ({ ...asked, ...fields }) as InboxEntry

interface Around {
  readonly wake?: InboxEntry
  readonly decision?: StoredDecision['decision']
  readonly open?: object
}
const shown = ({ wake, decision, open }: Around, of = outcome()) =>
  describeOutcome(
    {
      opens: new Map(open === undefined ? [] : [[of.moment, { record: open, noted: null } as StoredOpen]]),
      decisions: new Map(decision === undefined ? [] : [[of.moment, { decision } as StoredDecision]]),
      wakes: new Map(wake === undefined ? [] : [['c', wake]]),
      again: new Map(),
    },
    of,
  )

describe('a moment as people see it', () => {
  it('that was never opened and lost its wake still says when and how it ended', () => {
    expect(shown({})).toMatchObject({
      n: 7,
      openedAt: '2026-01-02T03:04:05.000Z',
      verb: null,
      woke: null,
      did: null,
      outcome: 'act',
      act: null,
    })
  })

  it('leaves out reason, message, driver and text where there are none', () => {
    const view = shown({ wake: entry() })
    for (const field of ['reason', 'message', 'driver', 'content', 'overlay', 'shadow'])
      expect(view).not.toHaveProperty(field)
  })

  it('names its act only where it is sealed', () => {
    expect(shown({}, outcome({}, { act: 'f00d' }))).toMatchObject({ act: 'echo/1/7', actHash: 'f00d' })
  })

  it('names who decided for it', () => {
    expect(shown({ open: { verb: 'summon', driver: 'ann' } })).toMatchObject({
      verb: 'summon',
      driver: '@ann',
    })
  })

  it('shows the text of a mind that called nothing, and none of one that failed', () => {
    expect(shown({ decision: { kind: 'see', content: 'hm' } }).content).toBe('hm')
    const failed = { kind: 'failure', code: 'LLM_FAILED', message: 'away' } as StoredDecision['decision']
    expect(shown({ decision: failed })).not.toHaveProperty('content')
  })
})

describe('why a moment began', () => {
  it.each([
    {
      why: 'a message',
      wake: entry(),
      woke: { trigger: 'message', from: '@ann', thread: 'c' },
    },
    {
      why: 'an act of its person',
      wake: entry({ kind: 'act', id: 'act/c', caller: null }),
      woke: { trigger: 'act', from: null, thread: 'c' },
    },
    {
      why: 'a look, which names what was looked at',
      wake: entry({
        kind: 'event',
        id: `${LOOK_PREFIX}echo/1/6`,
        caller: null,
        content: { address: '/court' },
      }),
      woke: { trigger: 'look', from: null, what: '/court', thread: 'c' },
    },
    {
      why: 'itself',
      wake: entry({ kind: 'event', id: 'continue/echo/1/6', caller: null, content: {} }),
      woke: { trigger: 'continue', from: null, thread: 'c' },
    },
  ])('is told of $why', ({ wake, woke }) => {
    expect(shown({ wake }).woke).toEqual(woke)
  })
})

describe('what a mind called', () => {
  const didOf = (call: object, wake?: InboxEntry) =>
    shown({
      decision: { kind: 'call', call, content: null } as unknown as StoredDecision['decision'],
      ...(wake === undefined ? {} : { wake }),
    }).did

  it('a summon without a target is of whoever asked', () => {
    const call = { verb: 'summon', target: null, content: 'hello', inReplyTo: 'c' }
    expect(didOf(call, entry())).toEqual({ verb: 'summon', target: '@ann' })
    expect(didOf(call)).toEqual({ verb: 'summon' })
  })

  it('a look names its address', () => {
    expect(didOf({ verb: 'see', address: '/court' })).toEqual({ verb: 'see', target: '/court' })
  })
})
