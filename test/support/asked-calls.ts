import { act } from '@treeos/client'
import type { Json, JsonObject } from '@treeos/core'
import { findOutcomeOfWake } from '@treeos/store'
import { createSpace, doAs, play, until } from './life.ts'
import type { World } from './world.ts'

/**
 * Plays calls that a rule asks about. @clerk, a puppet, makes them, and the operator answers.
 * @returns moments by name: a call that waits; the moment that does it after the yes; a call whose yes was
 *   voided; a call done with changed arguments; and a call of the person who is asked
 */
export async function playAskedCalls(world: World): Promise<ReadonlyMap<string, string>> {
  await createSpace(world, '/till')
  await world.birth({ name: 'pat', cognition: 'human' })
  const rule = (within: number) =>
    doAs(world, 'set-space', '/till', {
      field: 'permissions.do',
      value: { 'create-space': { requires: ['anyone'], ask: { who: ['owner', '@clerk', '@pat'], within } } },
    })
  await rule(600)
  const told = new Map<string, string>()
  const made = (name: string): JsonObject => ({ path: `/till/${name}` })
  const asks = async (what: string, name: string) => {
    const { n } = await play(world, 'clerk', {
      verb: 'do',
      operation: 'create-space',
      target: '/till',
      args: made(name),
    })
    told.set(what, `clerk/1/${n}`)
  }
  const answered = async (what: string, of: string, args: JsonObject = {}) => {
    const id = told.get(of) as string
    await doAs(world, 'approve', '@operator', { id, ...args })
    told.set(what, await until(async () => (await findOutcomeOfWake(world.db, `approved/${id}`))?.moment))
  }
  await asks('a question', 'a')
  await answered('a yes', 'a question')
  await asks('a question about b', 'b')
  await answered('a yes with other arguments', 'a question about b', { args: made('c') })
  await asks('a question about d', 'd')
  await rule(700)
  await answered('a yes to what changed', 'a question about d')
  await playCountedCalls(world, told)
  const { act } = await doAs(world, 'create-space', '/till', made('e'))
  told.set('an act of whom the rule asks', act as string)
  return told
}

/**
 * Calls that a rule counts: one before which another has to come, that one, those that keep the bounds, and
 * one beyond them.
 */
async function playCountedCalls(world: World, told: Map<string, string>): Promise<void> {
  await createSpace(world, '/desk')
  await world.birth({ name: 'manager', cognition: 'human', role: 'stage:free' })
  const teller = { name: 'teller', cognition: 'scripted', script: 'stage:puppet', role: 'stage:free' }
  await act({ ...world, person: 'manager' }, 'manager', { verb: 'be', operation: 'birth', args: teller })
  const counts: Json = [
    { after: { do: 'create-space' }, per: ['being', 'target'], within: 3600 },
    { most: 2, per: ['being'], within: 3600 },
    { sum: 'value', most: 10.5, per: ['person'] },
    { each: 'value', most: 7 },
  ]
  const rules = { 'set-space': { requires: ['anyone'], counts }, 'create-space': { requires: ['anyone'] } }
  await doAs(world, 'set-space', '/desk', { field: 'permissions.do', value: rules })
  const dryRun = {
    'set-space': { requires: ['anyone'], counts: [{ most: 1, per: ['being'] }] },
    'create-*': { requires: ['anyone'], ask: { who: ['operator'] } },
    'create-space': { forbid: [{ role: 'stage:free' }] },
  }
  await doAs(world, 'set-space', '/desk', { field: 'shadow.do', value: dryRun })
  await doAs(world, 'set-being', '@teller', { field: 'shadow', value: [{ role: 'resident' }] })
  const does = async (what: string, operation: string, args: JsonObject) => {
    const { n } = await play(world, 'teller', { verb: 'do', operation, target: '/desk', args })
    told.set(what, `teller/1/${n}`)
  }
  const sized = (value: number) => ({ field: 'desk.seats', value })
  await does('an act before which another has to come', 'set-space', sized(1))
  await does('the act that comes before', 'create-space', { path: '/desk/a' })
  await does('an act beyond its own bound', 'set-space', sized(8))
  await does('a counted act', 'set-space', sized(6))
  await does('an act beyond the sum', 'set-space', sized(5))
  await does('a second counted act', 'set-space', sized(4))
  await does('an act beyond the count', 'set-space', sized(0))
}
