/**
 * A reality that goes on twice from one instant, as after a restore: its moments get the same numbers again,
 * and its acts outside must not get the same keys.
 */
import { beingWorkflowId } from '@treeos/protocol'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { copyOf, migratedDatabase, type OwnDatabase } from '../../support/database.ts'
import { play, ring, tell, until } from '../../support/life.ts'
import mail from '../../support/mail.ts'
import { type Letter, type PostOffice, startPostOffice } from '../../support/post-office.ts'
import { stage } from '../../support/puppet.ts'
import { expectUnbroken } from '../../support/replays.ts'
import { startWorld, type World } from '../../support/world.ts'

let office: PostOffice
const databases: OwnDatabase[] = []
beforeAll(async () => {
  office = await startPostOffice()
  process.env.TREEOS_TEST_OFFICE = office.url
})
afterAll(async () => {
  await office.close()
  for (const { drop } of databases) await drop()
})

const NEVER_ANSWERS = 1
const letter = (text: string) =>
  ({ verb: 'do', operation: 'mail:post-surely', target: '@clerk', args: { text } }) as const
/** Ends what runs in Temporal, as the docs say for a restore of Postgres alone. */
async function close(world: World): Promise<void> {
  await world.stopWorker()
  for (const being of ['clerk', 'operator'])
    await world.temporal.workflow
      .getHandle(beingWorkflowId(world.reality.name, being))
      .terminate()
      .catch(() => undefined)
  await world.close()
}
/** The life of the clerk from there on, once what waited for it is done. */
async function goOn(from: OwnDatabase): Promise<{ letters: Letter[]; moments: string[] }> {
  const database = await copyOf(from)
  databases.push(database)
  const before = office.letters.length
  const world = await startWorld({
    extensions: [stage, mail],
    database: { ...database, drop: async () => {} },
  })
  await ring(world, 'clerk')
  await until(() => office.letters.length > before)
  for (const text of ['the same', 'the same']) await play(world, 'clerk', letter(text))
  const rows = await world.db.selectFrom('moment_outcome').select('moment').orderBy('moment').execute()
  const moments = rows.map(({ moment }) => moment).filter((moment) => moment.startsWith('clerk/'))
  await expectUnbroken(world)
  await close(world)
  return { letters: office.letters.slice(before), moments }
}

it('gives acts after a restore keys of their own, and the one that was under way the key that it had', async () => {
  const database = await migratedDatabase()
  databases.push(database)
  const kept = { ...database, drop: async () => {} }
  const world = await startWorld({ extensions: [stage, mail], database: kept })
  await world.birthPuppet('clerk')
  await play(world, 'clerk', letter('before'))
  office.moods = [NEVER_ANSWERS]
  const { asked } = office
  await tell(world, 'clerk', { call: letter('under way') })
  await until(() => office.asked > asked)
  await close(world)

  const [one, other] = [await goOn(database), await goOn(database)]
  const textsOf = ({ letters }: typeof one) => letters.map(({ text }) => text)
  expect(textsOf(one)).toEqual(['under way', 'the same', 'the same'])
  expect(textsOf(other)).toEqual(textsOf(one))
  expect(other.moments).toEqual(one.moments) // control: the numbers come again
  expect(other.letters[0]).toEqual(one.letters[0])
  const keys = [...one.letters, ...other.letters].map(({ key }) => key)
  expect(new Set(keys).size).toBe(5)
})
