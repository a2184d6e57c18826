/**
 * A worker that was taken over writes by its login in Postgres what the law does not give. What SQL does not
 * refuse, replay or verify names. Controls: a worker that is as it should be gets named for nothing, and SQL
 * refuses what it guards.
 */
import { act } from '@treeos/client'
import type { JsonObject } from '@treeos/core'
import type { ChainFault } from '@treeos/proofs'
import { type ReplayReport, replay } from '@treeos/replay'
import { listOutcomes } from '@treeos/store'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withoutDefences } from '../../faults/sabotaged-worker.ts'
import { FORGERIES, type ForgeryName } from '../../support/forgeries.ts'
import { createSpace, doAs, setRole } from '../../support/life.ts'
import { type Processes, prepareProcesses } from '../../support/processes.ts'
import { brokenIn, expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

/** Whether the act holds words from outside. */
const OUTSIDE: ReadonlySet<ForgeryName> = new Set([
  'words from outside without a mark',
  'a row without the mark that its fact says',
  'a mark without its row',
])
/** Those that only verify names: facts are as the law gives them, and a row is not what they make. */
const OF_ROWS: ReadonlySet<ForgeryName> = new Set([
  'a row without the mark that its fact says',
  'a mark without its row',
  'a row without the mark that it had',
])
const NAMES = Object.keys(FORGERIES) as ForgeryName[]
/** Where a rule lets nobody but the operator. */
const DEN = '/den'
const REFUSED: ForgeryName = 'what it does where its gates refuse'
const placeOf = (name: ForgeryName) => (name === REFUSED ? DEN : `/place-${NAMES.indexOf(name)}`)

describe('what a worker writes that was taken over', { timeout: 180_000 }, () => {
  const world = useWorld()
  let processes: Processes
  const asAnn = () => ({ ...world, person: 'ann' })
  const forge = (name: ForgeryName) => {
    const args = { field: 'forge.as', value: name, merge: true }
    const call = { verb: 'do', operation: 'set-space', target: placeOf(name), args } as const
    return act(asAnn(), 'ann', call, undefined, undefined, OUTSIDE.has(name) || undefined)
  }
  const marking = (name: ForgeryName) => {
    const args = { field: 'note', value: 'from a letter' } satisfies JsonObject
    const call = { verb: 'do', operation: 'set-space', target: placeOf(name), args } as const
    return act(asAnn(), 'ann', call, undefined, undefined, true)
  }
  const numberOfLast = async () => (await listOutcomes(world.db, 'ann')).length

  beforeAll(async () => {
    processes = await prepareProcesses()
    const any = [{ pattern: '*' }]
    await setRole(world, { name: 'free', canSee: any, canDo: any, canSummon: any, canBe: any, prompt: '' })
    await world.birth({ name: 'bob', cognition: 'scripted', script: 'echo', role: 'resident' })
    await world.birth({ name: 'ann', cognition: 'human', role: 'free' })
    await createSpace(world, DEN)
    for (const name of NAMES.filter((one) => one !== REFUSED)) {
      await createSpace(world, placeOf(name))
      const value = { 'set-space': { requires: ['anyone'] } }
      await doAs(world, 'set-space', placeOf(name), { field: 'permissions.do', value })
    }
    await marking('a row without the mark that it had')
    await expectReplays(world, 'chain')
    await expectUnbroken(world)
    await world.stopWorker()
    const worker = processes.start(world, withoutDefences(['law']))
    if (!(await worker.ready)) throw new Error(await worker.lastWords())
  })
  afterAll(() => processes?.close())

  const numbers = new Map<ForgeryName, number>()
  it.each(NAMES)('SQL takes %s', async (name) => {
    if (name === REFUSED) await expect(forge(name)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    else await forge(name)
    numbers.set(name, await numberOfLast())
  })

  let replayed: ReplayReport
  let broken: readonly ChainFault[]
  it('replay and verify read it all', async () => {
    replayed = await replay(world, { beings: null, from: 'chain' })
    broken = await brokenIn(world)
    expect(replayed.moments).toBeGreaterThan(NAMES.length)
  })

  it.each(NAMES.filter((name) => !OF_ROWS.has(name)))('replay names %s', (name) => {
    expect(replayed.mismatches).toContainEqual(
      expect.objectContaining({ being: 'ann', n: numbers.get(name), field: 'act facts' }),
    )
  })

  it.each(NAMES.filter((name) => OF_ROWS.has(name)))('verify names %s', (name) => {
    expect(broken.map(({ reel }) => reel)).toContain(`space:${placeOf(name)}`)
  })
})
