import { inbox } from '@treeos/client'
import { type Json, type JsonObject, LIMITS, newWake, PRIORITIES } from '@treeos/core'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectRefused, momentOf, play, ring, setRole, tell } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'
import { putWake } from '../../support/wakes.ts'

const model = useModelServer()
const world = useWorld({ extensions: [stage], modelServer: model })
beforeAll(async () => {
  await world.birthPuppet('boss')
})

const entriesOf = async (being: string) =>
  (await inbox(world, 'operator')).filter(({ content }) => (content as JsonObject).actor === `@${being}`)

describe('a cause chain that branches', () => {
  /** As many wakes as a chain may have, all of them over. */
  async function fill(root: string): Promise<void> {
    await sql`
      insert into treeos.inbox (id, being, kind, priority, content, root, closed_by)
      select ${root} || '/' || i, 'echo', 'event', 4, '""', ${root}, 'test' from generate_series(1, ${LIMITS.chainWakesMax}) i`.execute(
      world.owner,
    )
  }
  async function wakeIn(root: string, being: string, content: Json): Promise<string> {
    const id = `${root}/last`
    const priority = PRIORITIES.background
    await putWake(world.owner, newWake({ id, being, kind: 'event', priority, content, root, hops: 5 }))
    await ring(world, being)
    return id
  }

  it('may cause no wake beyond the bound: the summon is refused, and the operator hears of it', async () => {
    await fill('flood')
    const call = { verb: 'summon', target: '@echo', content: 'more' }
    const wake = await wakeIn('flood', 'boss', { call })
    const end = await momentOf(world, wake)
    expect(end).toMatchObject({ outcome: 'failure', reason: 'RATE_LIMITED' })
    expect(end.message).toContain(
      `the chain of "flood" has reached its limit of ${LIMITS.chainWakesMax} wakes`,
    )
    expect((await entriesOf('boss')).map(({ content }) => (content as JsonObject).correlation)).toContain(
      wake,
    )
    // Another cause is another chain.
    expect(await play(world, 'boss', call as JsonObject)).toMatchObject({ outcome: 'act' })
  })

  it('ends a self-continue too, with a reason that everybody can see', async () => {
    await setRole(world, { name: 'steady', selfContinue: true, canDo: ['set-being'], prompt: '' })
    await world.birth({ name: 'restless', cognition: 'llm', role: 'steady' })
    const args = { operation: 'set-being', args: { field: 'a.b', value: 1 } }
    model.script(() => ({ tool: { name: 'do', args } }))
    await fill('torrent')
    expect(await momentOf(world, await wakeIn('torrent', 'restless', 'go'))).toMatchObject({
      outcome: 'act',
      reason: 'chain-spent',
    })
    expect((await entriesOf('restless')).map(({ content }) => (content as JsonObject).event)).toEqual([
      'chain-spent',
    ])
  })
})

describe('an inbox', () => {
  it(`holds ${LIMITS.inboxLengthMax} open entries; the operator is refused one more, until one is over`, async () => {
    await world.birth({ name: 'person', cognition: 'human', role: 'stage:free' })
    await sql`
      insert into treeos.inbox (id, being, kind, priority, caller, content, root)
      select 'full/' || i, 'person', 'summon', 3, 'boss', '""', 'full/' || i
      from generate_series(1, ${LIMITS.inboxLengthMax} - 1) i`.execute(world.owner)
    await tell(world, 'person', 'the last that finds room')
    const full = `the inbox of @person holds ${LIMITS.inboxLengthMax} open wakes; the limit is ${LIMITS.inboxLengthMax}`
    await expectRefused(world, () => tell(world, 'person', 'hello?'), 'RATE_LIMITED', full)
    await sql`update treeos.inbox set closed_by = 'test' where id = 'full/1'`.execute(world.owner)
    await tell(world, 'person', 'room again')
  })
})
