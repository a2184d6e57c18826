import { explain, moments, prompt } from '@treeos/client'
import { replay } from '@treeos/replay'
import { listOutcomes } from '@treeos/store'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { tamper } from '../../store/tampered-chains.ts'
import { doAs, factsOf, live, play, publish, rowOf, setFlow, setRole } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { brokenIn, expectReplays, expectUnbroken, replayBundle } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const answer = { verb: 'summon', content: 'so it is' }
const model = useModelServer()
const world = useWorld({ extensions: [stage], modelServer: model })

describe('looking back', () => {
  it('every sealed moment is one act, and every fact but those of genesis carries one', async () => {
    await world.birthPuppet('mover')
    await play(world, 'mover', { verb: 'do', operation: 'move', target: '/library', args: {} })
    expect((await factsOf(world, 'mover', 1)).map(({ reel, kind }) => [reel, kind])).toEqual([
      ['being:mover', 'being:moved'],
      ['space:/', 'space:left'],
      ['space:/library', 'space:entered'],
    ])
    await live(world, 'mover', 'look')
    await play(world, 'mover', { verb: 'do', operation: 'unknown' })
    expect((await moments(world.db, 'mover')).map(({ outcome, act }) => [outcome, act])).toEqual([
      ['act', 'mover/1/1'],
      ['see', null],
      ['failure', null],
    ])
    const { rows } = await sql<{ moment: string; sealed: boolean; written: number; recorded: number }>`
      select f.moment, o.kind = 'act' as sealed, count(*)::integer as written,
        jsonb_array_length(convert_from(o.record, 'UTF8')::jsonb->'facts') as recorded
      from treeos.fact f left join treeos.moment_outcome o on o.moment = f.moment
      where f.moment is not null group by f.moment, o.kind, o.record`.execute(world.db)
    expect(rows.length).toBeGreaterThan(2)
    for (const row of rows) expect(row).toMatchObject({ sealed: true, written: row.recorded })
  })

  it('control: a fact that names another act is found', async () => {
    const name = (to: string) =>
      tamper(world, `update treeos.fact set moment = '${to}' where moment = 'mover/1/1' and reel = 'space:/'`)
    const kept = `update treeos.fact set moment = 'mover/1/1' where reel = 'space:/' and moment = 'mover/1/2'`
    await name('mover/1/2')
    const broken = await brokenIn(world)
    await tamper(world, kept)
    expect(broken).toContainEqual(expect.objectContaining({ reel: 'space:/' }))
    expect(broken).toContainEqual(
      expect.objectContaining({ reel: 'moments:mover', reason: 'facts-mismatch' }),
    )
    await expectUnbroken(world)
  })

  it('to edit or delete a role changes no older moment, neither its stack nor its prompt', async () => {
    const role = { name: 'poet', canSummon: [{ rel: 'asker' }], prompt: 'You rhyme.' }
    await setRole(world, role)
    await world.birth({ name: 'bard', cognition: 'llm', roleFlow: [{ role: 'poet' }] })
    const first = await live(world, 'bard', 'one')
    await setRole(world, { ...role, canSee: ['~'], prompt: 'You no longer rhyme.' })
    const second = await live(world, 'bard', 'two')
    await doAs(world, 'delete-role', '/', { name: 'poet', force: true })
    const third = await live(world, 'bard', 'three')
    expect([first, second, third].map(({ primary }) => primary)).toEqual(['poet', 'poet', 'citizen'])
    // the control: a moment of later wears what is then
    expect(first.stackDigest).not.toBe(second.stackDigest)
    expect((await prompt(world.db, world.registry, 'bard', 1)).system).toContain('You rhyme.')
    expect((await prompt(world.db, world.registry, 'bard', 2)).system).toContain('You no longer rhyme.')
    for (const n of [1, 2, 3]) {
      expect(await prompt(world.db, world.registry, 'bard', n)).toMatchObject({ identical: true })
    }
    expect((await explain(world.db, 'bard', 1)).surface.canSee).toEqual([])
    expect((await explain(world.db, 'bard', 2)).surface.canSee).toEqual(['/'])
    await expectReplays(world, 'chain')
  })

  it('control: an older moment that names the role as it became is found', async () => {
    const [first, second] = await listOutcomes(world.db, 'bard')
    const [older, newer] = [first, second].map((one) => one?.record.stack?.primary.digest ?? '')
    expect(older).not.toBe(newer)
    const exchange = (from: string, to: string) =>
      tamper(
        world,
        `update treeos.moment_outcome set record = convert_to(replace(convert_from(record, 'UTF8'), '${from}', '${to}'), 'UTF8')
          where moment = '${first?.moment}'`,
      )
    await exchange(older ?? '', newer ?? '')
    const { mismatches } = await replay(world, { beings: ['bard'], from: 'chain' })
    await exchange(newer ?? '', older ?? '')
    expect(mismatches.map(({ n, field }) => [n, field])).toContainEqual([1, 'stack'])
    expect(mismatches.filter(({ n }) => n !== 1)).toEqual([])
    await expectReplays(world, 'chain')
  })

  it('every moment replays as it was after the world changed', async () => {
    await world.birth({
      name: 'changing',
      cognition: 'scripted',
      script: 'stage:puppet',
      role: 'stage:free',
      roleFlow: [
        { when: { 'world.f49.on': true }, role: 'stage:mute' },
        { stack: true, when: { 'me.quality.mood.low': true }, role: 'resident' },
      ],
    })
    await play(world, 'changing', answer)
    await publish(world, 'f49.on', true)
    await play(world, 'changing', answer)
    await doAs(world, 'set-being', '@changing', { field: 'mood.low', value: true })
    await publish(world, 'f49.on', null)
    await play(world, 'changing', answer)
    await setFlow(world, 'changing', [])
    await play(world, 'changing', { verb: 'do', operation: 'move', target: '/library', args: {} })
    const worn = (await moments(world.db, 'changing'))
      .filter(({ outcome }) => outcome !== 'see') // the signal wakes it as well, sooner or later than it is asked
      .map(({ outcome, primary, stacked }) => [outcome, primary, ...stacked])
    expect(worn).toEqual([
      ['act', 'stage:free'],
      ['failure', 'stage:mute'],
      ['act', 'stage:free', 'resident'],
      ['act', 'stage:free'],
    ])
    const { moments: lived } = await expectReplays(world)
    const recorded = await world.db
      .selectFrom('moment_outcome')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    expect(lived).toBe(recorded.count)
    await expectUnbroken(world)
  })

  it('replay reports a changed stack by being, moment and field', async () => {
    const outcome = (await listOutcomes(world.db, 'changing')).filter(({ kind }) => kind === 'act')[1]
    const forged = JSON.stringify(outcome!.record).replace('"name":"stage:free"', '"name":"stage:mute"')
    await sql`alter table treeos.moment_outcome disable trigger moment_outcome_erased`.execute(world.owner)
    await sql`update treeos.moment_outcome set record = ${Buffer.from(forged)} where moment = ${outcome!.moment}`.execute(
      world.owner,
    )
    await sql`alter table treeos.moment_outcome enable trigger moment_outcome_erased`.execute(world.owner)
    const replayed = await replay(world, { beings: ['changing'], from: 'both', bundle: replayBundle() })
    expect(replayed.identical).toBe(false)
    const told = replayed.mismatches.filter(({ field }) => field === 'stack')
    expect(told.map(({ being, n }) => [being, n])).toContainEqual(['changing', outcome!.n])
    expect(told.some(({ chain }) => JSON.stringify(chain)?.includes('stage:free'))).toBe(true)
    expect(told.some(({ temporal }) => JSON.stringify(temporal)?.includes('stage:free'))).toBe(true)
    expect((await rowOf(world, 'changing')).space).toBe('/library')
  })
})
