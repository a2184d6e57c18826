/**
 * A reality that is restored again and again, each time from a backup of some earlier instant, while its clerk
 * posts letters that are all alike. Whoever takes them keeps the keys that they came under.
 */
import { beingWorkflowId } from '@treeos/protocol'
import { answer, defineExtension, defineRole, perform, silence } from '@treeos/sdk'
import { openDatabase, tellRestore } from '@treeos/store'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { Random } from '../faults/random.ts'
import { copyOf, migratedDatabase, type OwnDatabase } from './database.ts'
import { ring, tell, until } from './life.ts'
import mail from './mail.ts'
import { startPostOffice } from './post-office.ts'
import { expectUnbroken } from './replays.ts'
import { startWorld, type World } from './world.ts'

/** Posts a letter for what it is asked, and goes on as long as the number of its moment is odd. */
const post = () => perform('mail:post-surely', '@clerk', { text: 'the same' })
const clerks = defineExtension({
  name: 'clerks',
  version: '1.0.0',
  roles: [
    defineRole({
      name: 'clerks:clerk',
      canDo: [{ pattern: 'mail:post-surely' }],
      canSummon: [{ rel: 'asker' }],
      selfContinue: 'until-answered',
      prompt: 'You post letters.',
    }),
  ],
  scripts: {
    'clerks:clerk': ({ wake, moment }) => {
      if (wake.kind === 'message') return post()
      if (wake.kind !== 'continue') return silence
      return Number(moment.split('/').at(-1)) % 2 === 0 ? answer('posted') : post()
    },
  },
})

/** An act outside: what asked for it, in which moment, and its key. */
interface OutsideAct {
  /** the wake of its moment, with the record of the moment that it goes on from: the same in all that live it */
  readonly asked: string
  readonly moment: string
  readonly key: string
}

export interface RestoredActs {
  readonly acts: readonly OutsideAct[]
  /** keys that came to the post office */
  readonly received: ReadonlySet<string>
  /** acts of one moment's id, in records that went different ways */
  readonly sameIds: number
  readonly restores: number
}

/** How many backups are kept: later rounds go on from one of them. */
const BACKUPS_MAX = 6
/** What the office does: takes it, refuses it, or takes it and hangs up, so that the letter is posted again. */
const MOODS = [200, 200, 500, 0]

export async function restoreOften(restores: number, seed: number): Promise<RestoredActs> {
  const random = new Random(seed)
  const office = await startPostOffice()
  process.env.TREEOS_TEST_OFFICE = office.url
  const backups: OwnDatabase[] = []
  const acts = new Map<string, OutsideAct>()
  try {
    backups.push(await live(await migratedDatabase(), { isNew: true }))
    for (let n = 0; n < restores; n++) {
      const database = await copyOf(random.pick(backups))
      await onOwner(database, tellRestore)
      backups.push(await live(database, { isNew: false }))
      if (backups.length > BACKUPS_MAX) await backups.splice(random.between(0, BACKUPS_MAX - 1), 1)[0]?.drop()
    }
  } finally {
    await office.close()
    for (const { drop } of backups) await drop()
  }
  const all = [...acts.values()]
  const ways = new Map<string, Set<string>>()
  for (const { moment, asked } of all) ways.set(moment, (ways.get(moment) ?? new Set()).add(asked))
  const sameIds = [...ways.values()].filter(({ size }) => size > 1).length
  return { acts: all, received: new Set(office.letters.map(({ key }) => key)), sameIds, restores }

  /** Lives on from a record until some instant, and leaves it as a backup of that instant. */
  async function live(database: OwnDatabase, { isNew }: { readonly isNew: boolean }): Promise<OwnDatabase> {
    const world = await startWorld({
      extensions: [mail, clerks],
      database: { ...database, drop: async () => {} },
    })
    const asked = { script: 'clerks:clerk', role: 'clerks:clerk' }
    if (isNew) await world.birth({ name: 'clerk', cognition: 'scripted', ...asked })
    else await ring(world, 'clerk')
    office.moods = Array.from({ length: 12 }, () => random.pick(MOODS))
    const before = office.asked
    for (let letters = random.between(1, 3); letters > 0; letters--) await tell(world, 'clerk', { letters })
    await until(() => office.asked > before)
    await new Promise((resolve) => setTimeout(resolve, random.between(0, 600)))
    await close(world)
    for (const act of await onOwner(database, actsIn)) acts.set(`${act.asked} ${act.moment} ${act.key}`, act)
    return database
  }
}

/** Ends what runs in Temporal, as for a restore of Postgres alone. */
async function close(world: World): Promise<void> {
  await world.stopWorker()
  for (const being of ['clerk', 'operator'])
    await world.temporal.workflow
      .getHandle(beingWorkflowId(world.reality.name, being))
      .terminate()
      .catch(() => undefined) // none runs
  await expectUnbroken(world)
  await world.close()
}

/** Each act has one key in all its attempts, in whatever record, and no other act has it. */
export function expectKeysOfTheirOwn({ acts, received }: RestoredActs): void {
  const [keysOf, actsOf] = [new Map<string, Set<string>>(), new Map<string, Set<string>>()]
  for (const { asked, key } of acts) {
    keysOf.set(asked, (keysOf.get(asked) ?? new Set()).add(key))
    actsOf.set(key, (actsOf.get(key) ?? new Set()).add(asked))
  }
  expect([...keysOf].filter(([, keys]) => keys.size > 1)).toEqual([])
  expect([...actsOf].filter(([, asked]) => asked.size > 1)).toEqual([])
  expect([...received].filter((key) => !actsOf.has(key))).toEqual([])
  expect(received.size).toBeGreaterThan(1)
}

async function onOwner<T>(
  { url }: OwnDatabase,
  use: (owner: ReturnType<typeof openDatabase>) => Promise<T>,
): Promise<T> {
  const owner = openDatabase(url, { asOwner: true, poolMax: 1 })
  try {
    return await use(owner)
  } finally {
    await owner.destroy()
  }
}

async function actsIn(owner: ReturnType<typeof openDatabase>): Promise<OutsideAct[]> {
  const { rows } = await sql<OutsideAct>`
    select o.moment, convert_from(e.request, 'UTF8')::json ->> 'key' as key,
      o.wake || coalesce(' after ' || encode(before.hash, 'hex'), '') as asked
    from treeos.moment_effect e
      join treeos.moment_open o on o.moment = e.moment
      left join treeos.moment_outcome before on 'continue/' || before.moment = o.wake`.execute(owner)
  return rows
}
