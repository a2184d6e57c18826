import { explain } from '@treeos/client'
import emotions from '@treeos/emotions'
import { beforeAll, describe, expect, it } from 'vitest'
import { createSpace, live, play, publish, setFlow, setRole } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({
  extensions: [stage, emotions],
  timeZone: 'Europe/Berlin',
  clock: '2026-06-15T06:00:00Z',
})

const puppet = (name: string, more = {}) => world.birthPuppet(name, more)
const answer = { verb: 'summon', content: 'so it is' }

describe('time in a flow', () => {
  it.each([
    { at: '2026-06-14T21:59:59Z', hour: 23, dayOfWeek: 0 }, // still Sunday in Berlin
    { at: '2026-06-14T22:00:00Z', hour: 0, dayOfWeek: 1 },
    { at: '2026-12-14T22:00:00Z', hour: 23, dayOfWeek: 1 }, // winter time
    { at: '2027-01-01T23:30:00Z', hour: 0, dayOfWeek: 6 },
  ])('at $at a being in Berlin has hour $hour and weekday $dayOfWeek', async ({ at, hour, dayOfWeek }) => {
    const name = `clock-${at.replace(/\D/g, '')}`
    await puppet(name, {
      roleFlow: [
        { when: { 'time.hour': hour, 'time.dayOfWeek': dayOfWeek }, role: 'stage:free' },
        { role: 'stage:mute' },
      ],
    })
    await world.setClock(at)
    const moment = await live(world, name, 'what time is it?')
    expect(moment).toMatchObject({ openedAt: at.replace('Z', '.000Z'), primary: 'stage:free' })
  })

  it('sinceLastMoment is null on the first moment, then whole seconds; after 60 of them a being is bored', async () => {
    await world.setClock('2027-03-01T10:00:00.000Z')
    await puppet('idler', {
      roleFlow: [
        { role: 'stage:free' },
        { stack: true, when: { 'time.sinceLastMoment': { gte: 60 } }, role: 'emotions:bored' },
        { stack: true, when: { 'time.sinceLastMoment': null }, role: 'emotions:curious' },
      ],
    })
    expect(await play(world, 'idler', answer)).toMatchObject({
      outcome: 'act',
      stacked: ['emotions:curious'],
    })
    await world.setClock('2027-03-01T10:00:59.999Z')
    expect(await live(world, 'idler', 'nothing to do')).toMatchObject({ outcome: 'see', stacked: [] })
    // The see before sealed nothing. The act before it was sealed some ms after it opened.
    await world.setClock('2027-03-01T10:01:00.900Z')
    expect(await play(world, 'idler', answer)).toMatchObject({ outcome: 'act', stacked: ['emotions:bored'] })
    await world.setClock('2027-03-01T10:01:30.000Z')
    expect(await play(world, 'idler', answer)).toMatchObject({ stacked: [] })
  })

  it('a clock that is set back never opens a moment before the last sealed one', async () => {
    await world.setClock('2027-04-01T12:00:00.000Z')
    await puppet('steady')
    await play(world, 'steady', answer)
    await world.setClock('2027-04-01T11:00:00.000Z')
    expect(await play(world, 'steady', answer)).toMatchObject({
      openedAt: expect.stringMatching(/^2027-04-01T12:00:0/),
    })
  })

  it('tired stacks from 17:00, with no change but the hour', async () => {
    await puppet('worker', {
      roleFlow: [
        { role: 'stage:free' },
        { stack: true, when: { 'time.hour': { gte: 17 } }, role: 'emotions:tired' },
      ],
    })
    await world.setClock('2027-05-03T14:59:59Z')
    expect((await live(world, 'worker', 'go on')).stacked).toEqual([])
    await world.setClock('2027-05-03T15:00:00Z')
    expect((await live(world, 'worker', 'go on')).stacked).toEqual(['emotions:tired'])
  })
})

describe('the five clauses of the court, through a day', () => {
  // As seed 000 prints them.
  const court = [
    { when: { verb: 'summon', 'caller.role': 'human' }, role: 'human-conversationalist' },
    { when: { 'space.name': 'court', 'world.court.in-session': true }, role: 'judge' },
    { role: 'court-watcher' },
    { stack: true, when: { 'time.sinceLastMoment': { gte: 60 } }, role: 'emotions:bored' },
    { stack: true, when: { 'world.court.recent-disturbance': true }, role: 'emotions:alert' },
  ]
  const lists = { canSee: ['~', '/court'], canDo: ['move'], canSummon: [{ rel: 'asker' }] }
  let n = 0
  const at = (time: string) => world.setClock(`2027-06-07T${time}Z`)
  /** One moment and its stack. */
  async function moment(call: object, as: 'operator' | 'human' = 'operator') {
    await setFlow(world, 'operator', as === 'human' ? [{ when: { verb: 'summon' }, role: 'human' }] : [])
    const { primary, stacked, outcome, n: number } = await play(world, 'ada', call as never)
    n = number // a published signal wakes her as well
    return { outcome, stack: [primary, ...stacked] }
  }
  const go = (target: string) => ({ verb: 'do', operation: 'move', target, args: {} })

  beforeAll(async () => {
    await at('06:00:00')
    const any = [{ pattern: '*' }]
    await setRole(world, { name: 'human', canSee: any, canDo: any, canSummon: any, canBe: any, prompt: '' })
    await setRole(world, { name: 'human-conversationalist', ...lists, prompt: 'You talk with people.' })
    await setRole(world, { name: 'judge', ...lists, prompt: 'You rule.' })
    await setRole(world, { name: 'court-watcher', ...lists, prompt: 'You watch the court.' })
    await createSpace(world, '/court')
    await puppet('ada', { role: 'court-watcher', roleFlow: court })
  })

  it('a day of moments wears the stacks that the seed says', async () => {
    await at('07:00:00')
    expect(await moment(answer)).toEqual({ outcome: 'act', stack: ['court-watcher'] })
    await at('07:00:30')
    expect(await moment(answer, 'human')).toEqual({ outcome: 'act', stack: ['human-conversationalist'] })
    await at('08:00:00')
    expect(await moment(go('/court'))).toEqual({ outcome: 'act', stack: ['court-watcher', 'emotions:bored'] })
    await at('08:00:10')
    expect(await moment(answer)).toEqual({ outcome: 'act', stack: ['court-watcher'] })

    await publish(world, 'court.in-session', true)
    await at('08:00:20')
    expect(await moment(answer)).toEqual({ outcome: 'act', stack: ['judge'] })
    await publish(world, 'court.recent-disturbance', true)
    await at('08:00:30')
    expect(await moment(answer)).toEqual({ outcome: 'act', stack: ['judge', 'emotions:alert'] })
    await at('08:30:00')
    expect(await moment(answer)).toEqual({
      outcome: 'act',
      stack: ['judge', 'emotions:bored', 'emotions:alert'],
    })
    await at('08:30:01')
    expect(await moment(answer, 'human')).toEqual({
      outcome: 'act',
      stack: ['human-conversationalist', 'emotions:alert'],
    })

    await publish(world, 'court.in-session', false)
    await publish(world, 'court.recent-disturbance', null)
    await at('09:00:00')
    expect(await moment(answer)).toEqual({ outcome: 'act', stack: ['court-watcher', 'emotions:bored'] })
    await publish(world, 'court.in-session', 'true') // a text is not true
    await at('09:00:10')
    expect(await moment(answer)).toEqual({ outcome: 'act', stack: ['court-watcher'] })
    await publish(world, 'court.in-session', true)
    expect(await moment(go('/'))).toEqual({ outcome: 'act', stack: ['judge'] })
    // no judge outside the court
    expect(await moment(answer)).toEqual({ outcome: 'act', stack: ['court-watcher'] })
  })

  it('a role that only people can wear falls through to the next clause', async () => {
    await setRole(world, {
      name: 'human-conversationalist',
      requiredCognition: 'human',
      ...lists,
      prompt: 'You talk with people.',
    })
    await at('09:00:20')
    expect(await moment(answer, 'human')).toEqual({ outcome: 'act', stack: ['court-watcher'] })
    const { clauses } = await explain(world.db, 'ada', n)
    expect(clauses.map(({ role, result }) => [role, result])).toEqual([
      ['human-conversationalist', 'skipped'],
      ['judge', 'no-match'],
      ['court-watcher', 'primary'],
      ['emotions:bored', 'no-match'],
      ['emotions:alert', 'no-match'],
    ])
    expect(clauses[0]?.reason).toContain('needs cognition human')
  })
})

describe('afterwards', () => {
  it('every moment replays, and no chain is broken', async () => {
    await expectUnbroken(world)
    await expectReplays(world)
  })
})
