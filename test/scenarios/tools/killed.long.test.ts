/**
 * A worker is killed in the middle of a call: it is not made again, and what became of it is found out where
 * the server can say.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { actWakeId } from '@treeos/core'
import { writeToolsFile } from '@treeos/tools'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { putAct } from '../../faults/submitted-acts.ts'
import { momentOf, ring, until } from '../../support/life.ts'
import { type Processes, prepareProcesses } from '../../support/processes.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { acceptAll, letters, serving, withTools } from '../../support/tools.ts'
import { useWorld } from '../../support/use-world.ts'

const [told, mute] = [letters(), letters()]
const checks = {
  post: { tool: 'posted', args: { text: '$text' }, happened: 'it was posted', didNotHappen: 'it was not' },
}
const entries = await withTools({
  told: { command: told.command, checks },
  mute: { command: mute.command },
})
const { servers, extensions } = serving(entries)
afterAll(() => servers.close())

let processes: Processes
const world = useWorld({ extensions })
const wakes = new Map<string, string>()
beforeAll(async () => {
  processes = await prepareProcesses()
  await acceptAll(world, entries)
  for (const name of ['ann', 'ben']) await world.birth({ name, cognition: 'human', role: 'operator' })
  await world.stopWorker()
  const file = join(processes.home, 'tools.json')
  writeToolsFile(file, entries)
  for (const [person, server, post] of [
    ['ann', 'told', told],
    ['ben', 'mute', mute],
  ] as const) {
    post.feel({ post: 'hang' })
    const worker = processes.start(world, { TREEOS_TOOLS: file })
    expect(await worker.ready).toBe(true)
    const id = randomUUID()
    const args = { text: `from ${person}` }
    await putAct(world.db, person, id, {
      verb: 'do',
      operation: `${server}:post`,
      target: `@${person}`,
      args,
    })
    await ring(world, person)
    await until(() => post.posted(`from ${person}`).length === 1)
    worker.kill()
    await worker.ended
    post.feel({})
    wakes.set(person, actWakeId(id))
  }
  await world.startWorker()
})
afterAll(() => processes?.close())

describe('a worker that is killed in the middle of a call', () => {
  it('of a server that can say what it did: the call is confirmed, and was made once', async () => {
    expect(await momentOf(world, wakes.get('ann') ?? '', 90)).toMatchObject({ outcome: 'act' })
    expect(told.posted('from ann')).toHaveLength(1)
  })

  it('of one that cannot: it was made once, and what became of it is not known', async () => {
    expect(await momentOf(world, wakes.get('ben') ?? '', 90)).toMatchObject({
      outcome: 'failure',
      reason: 'TIMEOUT',
      message: expect.stringContaining('may have happened'),
    })
    expect(mute.posted('from ben')).toHaveLength(1)
  })

  it('both replay identically', async () => {
    await expectUnbroken(world)
    await expectReplays(world)
  })
})
