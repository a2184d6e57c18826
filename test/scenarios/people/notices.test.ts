import { closeInbox, inbox, reply, threads } from '@treeos/client'
import { type JsonObject, LIMITS } from '@treeos/core'
import { findEntry } from '@treeos/store'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { doAs, live, momentOf, play, tell, until, wakesOf, wakeUp } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [stage] })
beforeAll(async () => {
  for (const name of ['pup', 'pip']) await world.birthPuppet(name)
  await world.birth({ name: 'person', cognition: 'human', role: 'stage:free' })
})
beforeEach(() => closeInbox(world, { as: 'operator', how: 'dismissed', entries: null }))

const notices = async () => (await inbox(world, 'operator')).filter(({ notice }) => notice === true)
const eventOf = ({ content }: { content: unknown }) => (content as JsonObject).event
/** Moments of the being that fail by a wake of its own, so that the operator alone hears of them. */
async function fail(being: string, times: number): Promise<void> {
  const contents = Array.from({ length: times }, (_, i) => ({ throw: `fault ${i}` }))
  for (const wake of await wakeUp(world, being, contents)) await momentOf(world, wake)
}

describe('notices', () => {
  it('that are equal are one entry with a count; those of another being or code are others', async () => {
    await fail('pup', 5)
    await fail('pip', 1)
    await live(world, 'pup', { return: { kind: 'failure', code: 'RATE_LIMITED', message: 'not now' } })
    const told = await notices()
    expect(
      told.map(({ content, times = 1 }) => {
        const { actor, code } = content as JsonObject
        return [actor, code, times]
      }),
    ).toEqual([
      ['@pup', 'INTERNAL', 5],
      ['@pip', 'INTERNAL', 1],
      ['@pup', 'RATE_LIMITED', 1],
    ])
    const [many, one] = told
    expect(Date.parse(many!.latest!)).toBeGreaterThanOrEqual(Date.parse(many!.at))
    expect(one).not.toHaveProperty('times')
  })

  it('are marked as read one by one or all at once, and an equal one after that is a new entry', async () => {
    await fail('pup', 2)
    await fail('pip', 1)
    const [first] = await notices()
    const read = (entries: readonly string[] | null) =>
      closeInbox(world, { as: 'operator', how: 'read', entries })
    expect(await read([first!.correlation])).toEqual({ closed: 1 })
    expect(await read([first!.correlation])).toEqual({ closed: 0 })
    expect(await notices()).toHaveLength(1)
    await fail('pup', 1)
    expect(await read(null)).toEqual({ closed: 2 })
    expect(await notices()).toEqual([])
    await expect(read(['nothing'])).rejects.toMatchObject({ code: 'CORRELATION_NOT_FOUND' })
    await expect(closeInbox(world, { as: 'person', how: 'read', entries: null })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
  })

  it('do not include questions: these are answered or dismissed, never read away', async () => {
    const call = { verb: 'summon', target: '@operator', content: 'may I?' }
    for (const being of ['pup', 'pip'])
      for (const wake of await wakeUp(world, being, [{ call }])) await momentOf(world, wake)
    const asked = (await inbox(world, 'operator')).filter(({ content }) => content === 'may I?')
    expect(asked.map(({ from }) => from)).toEqual(['@pup', '@pip'])
    const close = (how: 'read' | 'dismissed') =>
      closeInbox(world, { as: 'operator', how, entries: [asked[0]!.correlation] })
    await expect(close('read')).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('@pup waits for an answer'),
    })
    expect(await closeInbox(world, { as: 'operator', how: 'read', entries: null })).toEqual({ closed: 0 })
    expect(await close('dismissed')).toEqual({ closed: 1 })
    await expect(
      reply(world, { correlation: asked[0]!.correlation, content: 'yes', as: 'operator', waitSeconds: null }),
    ).rejects.toMatchObject({ code: 'RESOURCE_CONFLICT' })
    await reply(world, {
      correlation: asked[1]!.correlation,
      content: 'yes',
      as: 'operator',
      waitSeconds: null,
    })
    expect((await inbox(world, 'operator')).filter(({ content }) => content === 'may I?')).toEqual([])
  })

  it('are closed as read together with announcements, which expect no answer', async () => {
    const call = { verb: 'summon', target: '@operator', content: 'the shop is open', expectReply: false }
    for (const wake of await wakeUp(world, 'pup', [{ call }])) await momentOf(world, wake)
    await fail('pip', 1)
    const open = await inbox(world, 'operator')
    expect(open.map(({ kind }) => kind).toSorted()).toEqual(['news', 'notice'])
    const entries = open.map(({ correlation }) => correlation)
    expect(await closeInbox(world, { as: 'operator', how: 'read', entries })).toEqual({ closed: 2 })
  })

  it('are answered: the answer goes to the being that the notice tells of, and closes it', async () => {
    await fail('pup', 3)
    const [told] = await notices()
    await reply(world, {
      correlation: told!.correlation,
      content: 'let it be',
      as: 'operator',
      waitSeconds: 20,
    })
    expect((await wakesOf(world, 'pup')).at(-1)).toMatchObject({
      content: 'let it be',
      caller: { name: 'operator' },
      inReplyTo: null,
    })
    expect(await notices()).toEqual([])
  })

  it('close with their thread; one that stands for several threads stays', async () => {
    const ask = { verb: 'summon', target: '@person', content: 'and you?' }
    // The thread waits for a person, so it can be cut.
    const asked = await tell(world, 'pup', { call: ask })
    await momentOf(world, asked)
    const failing = await tell(world, 'pup', { throw: 'lost' }, {})
    await momentOf(world, failing)
    await sql`update treeos.inbox set root = ${asked} where notice is not null and root = ${failing} and closed_by is null`.execute(
      world.owner,
    )
    expect(await notices()).toHaveLength(1)
    const open = (await threads(world.db, { last: 50, all: false })).find(({ thread }) => thread === asked)
    expect(open).toMatchObject({ open: 1 }) // the question to the person; a notice does not count
    await doAs(world, 'cut-thread', `thread:${asked}`, {})
    expect(await notices()).toEqual([])

    await fail('pip', 2) // two threads
    expect((await notices()).map(({ times }) => times)).toEqual([2])
    const [entry] = await notices()
    const row = (await wakesOf(world, 'operator')).find(({ id }) => id === entry?.correlation)
    expect(row?.root).toBe(row?.id)
  })

  it('beyond the most that an inbox keeps are counted in one entry, and room for people stays', async () => {
    await sql`
      insert into treeos.inbox (id, being, kind, priority, content, root, notice)
      select 'old/' || i, 'operator', 'event', 4, '{"event":"failure"}', 'old/' || i, 'old ' || i
      from generate_series(1, ${LIMITS.noticesMax}) i`.execute(world.owner)
    await fail('pup', 3)
    await fail('pip', 2)
    const dropped = (await notices()).filter((entry) => eventOf(entry) === 'dropped')
    expect(dropped).toMatchObject([{ times: 5, content: { event: 'dropped' } }])
    expect(await notices()).toHaveLength(LIMITS.noticesMax + 1)
    // People are heard all the same.
    await play(world, 'pup', { verb: 'summon', target: '@operator', content: 'hello?' })
    await until(async () => (await inbox(world, 'operator')).some(({ content }) => content === 'hello?'))
    expect(await closeInbox(world, { as: 'operator', how: 'read', entries: null })).toEqual({
      closed: LIMITS.noticesMax + 1,
    })
  })

  it('to a being with a mind of its own are wakes, one each', async () => {
    const call = { verb: 'summon', target: '@pip', content: { throw: 'no' } }
    for (let i = 0; i < 3; i++) await play(world, 'pup', call)
    await until(
      async () => (await wakesOf(world, 'pup')).filter(({ id }) => id.startsWith('notice/')).length === 3,
    )
    const told = (await wakesOf(world, 'pup')).filter(({ id }) => id.startsWith('notice/'))
    expect(told.map(({ times }) => times)).toEqual([1, 1, 1])
    expect(new Set(told.map(({ content }) => (content as JsonObject).correlation)).size).toBe(3)
  })

  it('all of it replays', async () => {
    for (const being of ['pup', 'pip'])
      await until(async () => (await wakesOf(world, being)).every(({ closedBy }) => closedBy !== null))
    await expectUnbroken(world)
    await expectReplays(world)
  })
})

it('an inbox keeps room for the operator, and none for a flood of one sender', async () => {
  const fill = (sender: string | null, from: number, to: number) =>
    sql`
      insert into treeos.inbox (id, being, kind, priority, caller, content, root)
      select 'fill/' || i, 'person', 'summon', 3, ${sender}, '""', 'fill/' || i
      from generate_series(${from}::integer, ${to}::integer) i`.execute(world.owner)
  const speak = (being: string) => play(world, being, { verb: 'summon', target: '@person', content: 'hello' })
  await fill('pup', 1, LIMITS.inboxPerSenderMax)
  expect(await speak('pup')).toMatchObject({
    outcome: 'failure',
    reason: 'RATE_LIMITED',
    message: expect.stringMatching(
      new RegExp(`of @pup; the limit for one sender is ${LIMITS.inboxPerSenderMax}$`),
    ),
  })
  expect(await speak('pip')).toMatchObject({ outcome: 'act' })
  await fill(null, LIMITS.inboxPerSenderMax + 1, LIMITS.inboxLengthMax - LIMITS.inboxForOperator)
  expect(await speak('pip')).toMatchObject({ outcome: 'failure', reason: 'RATE_LIMITED' })
  // The operator finds room, and is refused only when the inbox is full.
  const last = await tell(world, 'person', 'hello')
  expect(await findEntry(world.db, last)).toMatchObject({ content: 'hello', closedBy: null })
})
