import { setTimeout as sleep } from 'node:timers/promises'
import { act, inbox, reply } from '@treeos/client'
import type { JsonObject } from '@treeos/core'
import { measureInboxes, migrate, openDatabase } from '@treeos/store'
import { inject } from 'vitest'
import { emptyDatabase } from '../support/database.ts'
import { beingOf, doAs, live, momentOf, play, publish, tell, until } from '../support/life.ts'
import { startModelServer } from '../support/model-server.ts'
import { stage } from '../support/puppet.ts'
import { startWorld, type World } from '../support/world.ts'
import { noteStatements, readDatabase, type Statement, writeRecorded } from './recording.ts'

const answer = { verb: 'summon', content: 'so it is' }

/**
 * Records a database of this version, for tests of later ones.
 * @param name that of the last migration
 */
export async function recordDatabase(name: string): Promise<void> {
  const schema = await noteMigrations()
  if (!JSON.stringify(schema).includes(name)) throw new Error(`${name} is no migration of this version`)
  const model = await startModelServer()
  const world = await startWorld({ extensions: [stage], modelUrl: model.url })
  await lived(world, model)
  await quiet(world)
  const stored = await readDatabase(ownerUrlOf(world))
  const { noted, stop } = noteStatements()
  for (let i = 0; i < 6; i++) await play(world, 'player', answer)
  const late = { field: 'mood.is', value: 'late' }
  await play(world, 'player', { verb: 'do', action: 'set-being', args: late })
  await play(world, 'player', { verb: 'see', address: '/' })
  await live(world, 'thinker', 'and now?')
  await publish(world, 'weather.condition', 'sun')
  await quiet(world)
  stop()
  const moments = await momentsOf(world)
  await world.close()
  await model.close()
  await writeRecorded(name, { schema, ...stored, afterwards: noted.filter(isWorth), moments })
}

/** Statements of connections that a restored database has no use for. */
const isWorth = ({ text }: Statement) => !/^\s*(listen|unlisten)/i.test(text)

async function noteMigrations(): Promise<Statement[]> {
  const { url, drop } = await emptyDatabase()
  const owner = openDatabase(url, { asOwner: true, poolMax: 1 })
  const { noted, stop } = noteStatements()
  await migrate(owner)
  stop()
  await owner.destroy()
  await drop()
  return noted
}

/** Some of everything that leaves rows, wakes that nobody took and a moment that a life left open among them. */
async function lived(world: World, model: Awaited<ReturnType<typeof startModelServer>>): Promise<void> {
  const puppet = { cognition: 'scripted', script: 'stage:puppet', role: 'stage:free' }
  await world.birth({ name: 'player', ...puppet })
  await world.birth({ name: 'mute', ...puppet, role: 'stage:mute' })
  await world.birth({ name: 'thinker', cognition: 'llm', role: 'resident' })
  await world.birth({ name: 'ann', cognition: 'human', role: 'stage:free' })
  await doAs(world, 'create-space', '/', { path: '/garden' })
  await doAs(world, 'set-budget', '@thinker', { tokens: 100_000 })
  await publish(world, 'weather.condition', 'rain')
  const calls: JsonObject[] = [
    answer,
    { verb: 'do', action: 'set-being', args: { field: 'mood.is', value: 'merry' } },
    { verb: 'see', address: '/' },
    { verb: 'summon', target: '@ann', content: 'are you there?' },
    { verb: 'do', action: 'no-such-action', args: {} },
    { verb: 'be', operation: 'birth', payload: { name: 'child', ...puppet } },
  ]
  for (const call of calls) await play(world, 'player', call)
  await play(world, 'mute', answer)
  await live(world, 'player', { throw: 'a script that dies' })
  await live(world, 'thinker', 'a question')
  model.script((request) => (beingOf(request) === 'thinker' ? { status: 400 } : undefined))
  await live(world, 'thinker', 'a question that cannot be answered')
  model.reset()
  await act(world, 'operator', {
    verb: 'do',
    action: 'set-roleflow',
    target: '@child',
    args: { flow: [{ when: { 'world.weather.condition': 'rain' }, role: 'stage:mode-1', stack: true }] },
  })
  await live(world, 'child', 'hello')
  for (const { correlation } of (await inbox(world, 'operator')).slice(-1))
    await reply(world, { correlation, content: 'yes', as: 'operator', waitSeconds: 20 })
  await momentOf(world, await tell(world, 'child', { call: answer }))
}

/** Nothing waits, twice in a row: notices follow answers. */
async function quiet(world: World): Promise<void> {
  for (const _ of [1, 2]) {
    await until(async () => (await measureInboxes(world.db)).waiting === 0, { what: 'rest' })
    await sleep(500)
  }
}
const momentsOf = async (world: World): Promise<Record<string, number>> => {
  const rows = await world.db
    .selectFrom('moment_outcome')
    .select(({ fn }) => ['being', fn.countAll<number>().as('count')])
    .groupBy('being')
    .execute()
  return Object.fromEntries(rows.map(({ being, count }) => [being, Number(count)]))
}
const ownerUrlOf = ({ url }: World): string =>
  Object.assign(new URL(inject('postgresUrl')), { pathname: new URL(url).pathname }).href
