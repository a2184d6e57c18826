/**
 * What Postgres refuses for ever ends: as a failure of the moment that names what was refused, or of the run
 * where even that cannot be written.
 */
import { act, moments, ringBeing } from '@treeos/client'
import { parseCall, taskQueueOf } from '@treeos/core'
import { ACT_SIGNAL, beingWorkflowId } from '@treeos/protocol'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { live, play, tell, until, wakesOf } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [stage] })

/**
 * Refuses what is set as `refuse:<SQLSTATE>` of a being, and each act of a person that says `stop`, as guards
 * and constraints do.
 */
beforeAll(async () => {
  await sql`create function treeos.refuse_fact() returns trigger language plpgsql as $$
    declare
      state text := substring(convert_from(new.bytes, 'UTF8') from 'refuse:([0-9A-Z]{5})');
    begin
      if state is not null then
        raise exception '%', case state when '42501' then 'refused: nobody may be so' else 'it quotes a row' end
          using errcode = state;
      end if;
      return new;
    end $$`.execute(world.owner)
  await sql`create trigger refuse_fact before insert on treeos.fact for each row
    when (new.reel = 'being:ann') execute function treeos.refuse_fact()`.execute(world.owner)
  await sql`create function treeos.refuse_row() returns trigger language plpgsql as $$ begin
    raise exception 'refused: nobody does this' using errcode = '42501'; end $$`.execute(world.owner)
  await sql`create trigger refuse_act before insert on treeos.inbox for each row
    when (new.content like '%"stop"%') execute function treeos.refuse_row()`.execute(world.owner)
  for (const name of ['ann', 'stuck']) await world.birthPuppet(name)
})

const set = (target: string, value: string) => ({
  ...{ verb: 'do', operation: 'set-being', target },
  args: { field: 'mood', value },
})

describe('an act that the record does not take', () => {
  it.each([
    ['a guard', '42501', 'FORBIDDEN', 'the record refuses this act: nobody may be so'],
    ['a type', '22P05', 'INTERNAL', 'Postgres cannot store this act (SQLSTATE 22P05)'],
    ['an index', '54000', 'INTERNAL', 'Postgres cannot store this act (SQLSTATE 54000)'],
    ['a constraint', '23514', 'INTERNAL', 'Postgres cannot store this act (SQLSTATE 23514)'],
    ['the past', 'TR001', 'INTERNAL', 'Postgres cannot store this act (SQLSTATE TR001)'],
  ])('for %s fails its moment, once, by name', async (_, state, code, message) => {
    const moment = await play(world, 'ann', set('@ann', `refuse:${state}`))
    expect(moment).toMatchObject({ outcome: 'failure', reason: code, message })
    const asked = act(world, 'operator', parseCall(set('@ann', `refuse:${state}`)))
    await expect(asked).rejects.toMatchObject({ code, message })
  })

  it('leaves the being to live on (the control)', async () => {
    expect(await play(world, 'ann', set('@ann', 'glad'))).toMatchObject({ outcome: 'act' })
  })
})

it('a moment whose failure is refused too ends its run, which names what was refused; the next run lives it', async () => {
  await live(world, 'stuck', 'good morning')
  const { workflow } = world.temporal
  const id = beingWorkflowId(world.reality.name, 'stuck')
  const { runId } = await workflow.getHandle(id).describe()
  await sql`create trigger refuse_end before insert on treeos.moment_outcome for each row
    when (new.being = 'stuck') execute function treeos.refuse_row()`.execute(world.owner)
  const wake = await tell(world, 'stuck', { call: set('@stuck', 'glad') })
  await expect(workflow.getHandle(id, runId).result()).rejects.toMatchObject({
    cause: {
      type: 'RecordRefusedError',
      nonRetryable: true,
      message: expect.stringContaining('nobody does this'),
    },
  })
  await sql`drop trigger refuse_end on treeos.moment_outcome`.execute(world.owner)
  const at = { reality: world.reality.name, taskQueue: taskQueueOf(world.reality.name) }
  await ringBeing(world.temporal, at, 'stuck')
  const lived = await until(async () =>
    (await moments(world.db, 'stuck')).find((moment) => moment.wake === wake),
  )
  expect(lived).toMatchObject({ outcome: 'act' })
})

it('an act by signal that the record does not take is left out, and the next one is taken', async () => {
  const handle = world.temporal.workflow.getHandle(beingWorkflowId(world.reality.name, 'operator'))
  await handle.signal(ACT_SIGNAL, set('@ann', 'stop'))
  await until(() =>
    world.errors.some(({ where, error }) => where === 'intake' && /nobody does this/.test(String(error))),
  )
  await handle.signal(ACT_SIGNAL, set('@ann', 'by signal'))
  await until(async () =>
    (await wakesOf(world, 'operator')).some(({ content }) => JSON.stringify(content).includes('by signal')),
  )
})

it('leaves histories and facts that replay', async () => {
  await expectReplays(world)
})
