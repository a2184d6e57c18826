/**
 * Ids of wakes about calls that wait begin with a word. A being may have such a word for its name, and a
 * damaged row stops no sweep.
 */
import { listOverdueApprovals } from '@treeos/store'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { play, until, wakesOf } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [stage] })

it.each(['asked', 'approved', 'denied', 'expired'])('a being called %s speaks as any other', async (name) => {
  await world.birthPuppet(name)
  await world.birthPuppet(`to-${name}`)
  const call = { verb: 'summon', target: `@to-${name}`, content: 'Good morning.', inReplyTo: null } as const
  expect(await play(world, name, call)).toMatchObject({ outcome: 'act', primary: 'stage:free' })
  const heard = await until(async () => (await wakesOf(world, `to-${name}`)).find((wake) => wake.closedBy))
  expect(heard).toMatchObject({ kind: 'summon', id: `${name}/1/1` })
})

it('their moments replay', async () => {
  await expectReplays(world)
})

it('a row of a call that nobody can read keeps no other from its end', async () => {
  const put = (key: string, state: string) =>
    sql`insert into treeos.projection (key, reel, state, folded_seq) values (${key}, ${key}, ${state}, 1)`.execute(
      world.owner,
    )
  await put('approval:damaged/1/1', '{"expiresAt":1,"state":"open"')
  await put('approval:late/1/1', '{"expiresAt":1,"state":"open"}')
  expect(await listOverdueApprovals(world.db, 10)).toEqual(['late/1/1'])
  await sql`delete from treeos.projection where key in ('approval:damaged/1/1', 'approval:late/1/1')`.execute(
    world.owner,
  )
})
