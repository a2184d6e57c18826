import { inhabit, moments, ringBeing } from '@treeos/client'
import { taskQueueOf } from '@treeos/core'
import { ACT_SIGNAL, beingWorkflowId } from '@treeos/protocol'
import { describe, expect, it } from 'vitest'
import { until, wakesOf } from '../../support/life.ts'
import { expectReplays } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'
import type { World } from '../../support/world.ts'

const guarded = useWorld()
const open = useWorld({ actSignal: false })

/** Sends an act straight to the workflow, as a person does from Temporal's UI. */
async function signal(world: World, being: string, value: number): Promise<void> {
  const at = { reality: world.reality.name, taskQueue: taskQueueOf(world.reality.name) }
  await ringBeing(world.temporal, at, being) // its workflow runs from the first ring on
  const act = {
    verb: 'do',
    operation: 'set-being',
    target: `@${being}`,
    args: { field: 'raid.value', value },
  }
  const handle = world.temporal.workflow.getHandle(beingWorkflowId(world.reality.name, being))
  await handle.signal(ACT_SIGNAL, act)
}

const refusals = (world: World) =>
  world.errors.flatMap(({ where, error }) => (where === 'intake' ? [(error as Error).message] : []))

describe('an act by signal', () => {
  it('is the act of the first operator, whose credential Temporal asked for', async () => {
    await signal(guarded, 'operator', 1)
    const [moment] = await until(async () => {
      const lived = await moments(guarded.db, 'operator')
      return lived.length > 0 && lived
    })
    expect(moment).toMatchObject({ outcome: 'act' })
    expect(moment).not.toHaveProperty('driver')
  })

  it('for another person is refused, and under a lease its facts name the operator as the driver', async () => {
    await guarded.birth({ name: 'ann', cognition: 'human', role: 'operator' })
    await signal(guarded, 'ann', 2)
    await until(() =>
      refusals(guarded).some((message) => message.includes('you are not @ann: inhabit it first')),
    )
    const inhabitation = await inhabit(guarded, { being: 'ann', as: 'operator' })
    await signal(guarded, 'ann', 3)
    const [moment] = await until(async () => {
      const lived = await moments(guarded.db, 'ann')
      return lived.some(({ outcome }) => outcome === 'act') && lived
    })
    await inhabitation.release()
    expect(moment).toMatchObject({ outcome: 'act', driver: '@operator' })
    const headers = await guarded.db
      .selectFrom('fact')
      .select('header')
      .where('moment', '=', `ann/1/${moment?.n}`)
      .execute()
    const drivers = headers.map(({ header }) => (JSON.parse(String(header)) as { driver: string }).driver)
    expect(drivers).toEqual(['operator'])
  })

  it('is read as generously as any other, and a driver’s wrong act fails as well', async () => {
    const inhabitation = await inhabit(guarded, { being: 'ann', as: 'operator' })
    const handle = guarded.temporal.workflow.getHandle(beingWorkflowId(guarded.reality.name, 'ann'))
    await handle.signal(ACT_SIGNAL, { verb: 'summon', target: '@operator', content: 'Hello.' })
    await handle.signal(ACT_SIGNAL, { verb: 'do', operation: 'fly', target: '@ann' })
    const said = await until(async () =>
      (await wakesOf(guarded, 'operator')).find(({ content }) => content === 'Hello.'),
    )
    expect(said).toMatchObject({ caller: { name: 'ann' }, inReplyTo: null })
    await until(async () => (await moments(guarded.db, 'ann')).at(-1)?.outcome === 'failure')
    await inhabitation.release()
  })

  it('that is wrong fails in a moment of the person, who gets a notice', async () => {
    const handle = guarded.temporal.workflow.getHandle(beingWorkflowId(guarded.reality.name, 'operator'))
    await handle.signal(ACT_SIGNAL, { verb: 'fly', target: '@operator' })
    const notice = await until(async () =>
      (await wakesOf(guarded, 'operator')).find(({ id }) => id.startsWith('notice/operator/')),
    )
    expect(notice.content).toMatchObject({
      event: 'failure',
      actor: '@operator',
      code: 'VERB_NOT_SUPPORTED',
      message: 'verb "fly" is not one of see, do, summon, be',
    })
    expect((await moments(guarded.db, 'operator')).at(-1)).toMatchObject({ outcome: 'failure' })
  })

  it('is refused where Temporal asks its callers for no credential: nothing enters the inbox', async () => {
    const before = (await wakesOf(open, 'operator')).length
    await signal(open, 'operator', 4)
    await until(() => refusals(open).some((message) => message.includes('acts by signal are off')))
    expect(await wakesOf(open, 'operator')).toHaveLength(before)
  })

  it('leaves histories and facts that replay', async () => {
    await expectReplays(guarded)
  })
})
