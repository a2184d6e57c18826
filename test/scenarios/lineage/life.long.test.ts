/** Children whose workflow is killed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { defineLineage } from '@treeos/lineage'
import { beingWorkflowId } from '@treeos/protocol'
import { listOutcomes } from '@treeos/store'
import { expect, it } from 'vitest'
import { doAs, play, until } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const quick = useWorld({ extensions: [stage, defineLineage({ heartbeatSeconds: 2 })] })

it('a guardian whose workflow was killed comes back by its heartbeat; a sleeping analyst waits for its next task', async () => {
  const handleOf = (being: string) =>
    quick.temporal.workflow.getHandle(beingWorkflowId(quick.reality.name, being))
  const args = { script: 'silent' }
  const raise = (name: string, role: string) =>
    doAs(quick, 'lineage:spawn-child', '@operator', { ...args, name, role })
  await raise('sentry', 'guardian')
  const analyst = { name: 'sleeper', role: 'analyst', script: 'stage:puppet' }
  await doAs(quick, 'lineage:spawn-child', '@operator', analyst)
  const reply = {
    verb: 'do',
    operation: 'lineage:inbox-reply',
    target: '@sleeper',
    args: { content: 'done' },
  }
  await play(quick, 'sleeper', reply)
  const last = async (being: string) => (await listOutcomes(quick.db, being)).at(-1)
  await until(() => last('sentry'), { what: 'its first heartbeat' })
  const before = await last('sleeper')
  for (const being of ['sentry', 'sleeper']) await handleOf(being).terminate('a test')
  const back = await until(async () => {
    const outcome = await last('sentry')
    return outcome?.moment.startsWith('sentry/2/') && outcome
  })
  expect(back).toMatchObject({ kind: 'see' })
  await sleep(4000) // longer than its heartbeat was
  expect(await last('sleeper')).toEqual(before)
  await play(quick, 'sleeper', { ...reply, args: { content: 'again' } })
  expect(await last('sleeper')).toMatchObject({
    kind: 'act',
    moment: expect.stringMatching(/^sleeper\/2\//),
  })
  await expectUnbroken(quick)
})
