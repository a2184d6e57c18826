import { CONTINUE_PREFIX, newWake, type Wake } from '@treeos/core'
import { type BeingRow, momentInputsOf } from '@treeos/world'
import { describe, expect, it } from 'vitest'
import { contentHeard } from './loaded-moment.ts'
import { verbAndCallerOf } from './read-for-moment.ts'

const ANN = { name: 'ann', role: null, cognition: 'human' } as const
const wakeOf = (fields: Partial<Wake> = {}): Wake =>
  newWake({
    id: 'c',
    being: 'bob',
    kind: 'summon',
    priority: 1,
    content: 'hello',
    root: 'c',
    ...fields,
  } as Parameters<typeof newWake>[0])

describe('the verb and the caller that a flow reads', () => {
  const act = (call: object) =>
    wakeOf({ kind: 'act', id: 'act/c', content: { call, answers: null } as never })

  it('of a message are a summon and whoever said it', () => {
    expect(verbAndCallerOf(wakeOf({ caller: ANN }), null)).toEqual({ verb: 'summon', caller: ANN })
  })

  it('of an act are its own verb and nobody', () => {
    expect(verbAndCallerOf(act({ verb: 'be' }), null)).toEqual({ verb: 'be', caller: null })
  })

  it('of an act that answers are those of what it answers', () => {
    expect(verbAndCallerOf(act({ verb: 'summon' }), { caller: ANN })).toEqual({ verb: 'summon', caller: ANN })
  })

  it('of an act that cannot be read are a do, so that the moment opens and fails with the reason', () => {
    expect(verbAndCallerOf(act({ verb: 'fly' }), null)).toEqual({ verb: 'do', caller: null })
  })
})

describe('the inputs of a reading', () => {
  const BOB = { name: 'bob', cognition: { kind: 'llm' } } as unknown as BeingRow
  const open = {
    verb: 'summon',
    caller: ANN,
    openedAt: 0,
    zone: 'UTC',
    hour: 3,
    dayOfWeek: 'monday',
    offset: 0,
    cognition: { kind: 'llm' },
    lastSealed: null,
    asked: null,
    answers: null,
    wake: wakeOf({ caller: ANN }),
  } as unknown as Parameters<typeof momentInputsOf>[1]
  const inputsOf = (fields: object = {}, me = BOB) => momentInputsOf(me, { ...open, ...fields })

  it('take the hour and the weekday from the record: tables of time zones change', () => {
    expect(inputsOf().time).toEqual({ openedAt: 0, zone: 'UTC', hour: 3, dayOfWeek: 'monday', offset: 0 })
  })

  it('name who asked, also where the being goes on, until it has answered', () => {
    const goingOn = wakeOf({ kind: 'event', id: `${CONTINUE_PREFIX}bob/1/1`, caller: ANN })
    expect(inputsOf()).toMatchObject({ trigger: 'message', asker: 'ann' })
    const owed = { id: 'c', caller: { name: 'ann', role: null, cognition: 'human' as const }, hops: 0 }
    expect(inputsOf({ wake: goingOn, owed }).asker).toBe('ann')
    expect(inputsOf({ wake: goingOn }).asker).toBeNull()
  })

  it('say whether the thread was cut and the being has ended', () => {
    expect(inputsOf()).toMatchObject({ cut: false, ended: false })
    expect(inputsOf({ cut: true }, { ...BOB, ended: 1 } as BeingRow)).toMatchObject({
      cut: true,
      ended: true,
    })
  })

  it('mark a wake whose words came from outside', () => {
    expect(inputsOf().outside).toBe(false)
    expect(inputsOf({ wake: wakeOf({ outside: true }) }).outside).toBe(true)
  })

  it('of who decides in person look at the world, wherever the wake would look', () => {
    const wake = wakeOf({ orientation: 'inward' } as Partial<Wake>)
    expect(inputsOf({ wake }).orientation).toBe('inward')
    expect(inputsOf({ wake, cognition: { kind: 'human' } }).orientation).toBe('forward')
  })
})

describe('the content of a wake as its being heard it', () => {
  const change = { event: 'changed', what: 'qualities.court.door', target: '/court', changes: 1 }

  it('is as it was sent where it quotes nothing', () => {
    expect(contentHeard(null, null, change)).toBe(change)
  })

  it('tells of a place that the being may not see only that something changed there', () => {
    const beside = (unseen: readonly string[]) =>
      ({ quotes: { of: ['/court'], unseen } }) as unknown as Parameters<typeof contentHeard>[0]
    expect(contentHeard(beside([]), null, change)).toEqual(change)
    expect(contentHeard(beside(['/court']), null, change)).toEqual({ event: 'changed', changes: 1 })
  })

  it('tells the value that a moment read of what changed', () => {
    const noted = { quotes: { of: ['/court'], unseen: [] } } as unknown as Parameters<typeof contentHeard>[0]
    expect(contentHeard(noted, { changed: 'open' }, change)).toEqual({ ...change, value: 'open' })
  })
})
