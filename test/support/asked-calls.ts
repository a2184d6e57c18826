import type { JsonObject } from '@treeos/core'
import { findOutcomeOfWake } from '@treeos/store'
import { createSpace, doAs, play, until } from './life.ts'
import type { World } from './world.ts'

/**
 * Plays calls that a rule asks about. @clerk, a puppet, makes them, and the operator answers.
 * @returns moments by name: a call that waits; the moment that does it after the yes; a call whose yes was voided; a call done with
 *   changed arguments; and a call of the person who is asked
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
      action: 'create-space',
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
  const { act } = await doAs(world, 'create-space', '/till', made('e'))
  told.set('an act of whom the rule asks', act as string)
  return told
}
