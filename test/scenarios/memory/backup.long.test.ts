/**
 * A real backup: pg_dump without the keys of sealed texts, a note erased after it, and the dump restored
 * beside the keys of that day.
 */
import { execFileSync } from 'node:child_process'
import { act, erasing, whyKnown } from '@treeos/client'
import memory from '@treeos/memory'
import { openDatabase } from '@treeos/store'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyDatabase, migratedDatabase } from '../../support/database.ts'
import { doAs } from '../../support/life.ts'
import { startWorld, type World } from '../../support/world.ts'

const KEYS = 'treeos.sealed_text'
/**
 * PGDUMP and PSQL name the programs; Debian's package postgresql-client has them. pg_dump takes no server
 * that is newer than itself.
 */
const { PGDUMP = 'pg_dump', PSQL = 'psql' } = process.env
const dump = (url: string, ...options: string[]): string =>
  execFileSync(PGDUMP, ['--no-owner', '--no-privileges', ...options, url], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
const restore = (url: string, text: string) =>
  execFileSync(PSQL, ['--quiet', '--set=ON_ERROR_STOP=1', '--single-transaction', url], { input: text })

const hasTools = (() => {
  try {
    execFileSync(PSQL, ['--version'], { stdio: 'ignore' })
    return Number(/ (\d+)/.exec(execFileSync(PGDUMP, ['--version'], { encoding: 'utf8' }))?.[1] ?? 0)
  } catch {
    return 0
  }
})()

describe.skipIf(hasTools === 0)('a dump without the keys', () => {
  const world = {} as World
  let url: string
  beforeAll(async () => {
    const database = await migratedDatabase()
    url = database.url
    Object.assign(world, await startWorld({ extensions: [memory], database }))
  })
  afterAll(() => world.close?.())
  const remember = (text: string) => doAs(world, 'memory:remember', '@operator', { text })

  it('holds no sealed text, and beside the keys of today none that was erased since', async ({ skip }) => {
    const { rows } = await sql<{ version: number }>`
      select current_setting('server_version_num')::int / 10000 as version`.execute(world.owner)
    if ((rows[0]?.version ?? 0) > hasTools) skip('the server is newer than pg_dump')
    await remember('The boiler is serviced in March')
    await remember('Invoices go to mallory')
    const before = dump(url, `--exclude-table-data=${KEYS}`)
    for (const said of ['boiler', 'mallory']) expect(before).not.toContain(said)
    expect(dump(url)).toContain('mallori') // control: with the keys are the words, by which a note is found

    const [bad] = (await whyKnown(world.db, 'operator', 'mallory')).known
    await doAs(world, 'write-matter', String(bad?.note), { content: null })
    await act(world, 'operator', await erasing(world.db, String(bad?.fact), 'poison'))
    const keys = dump(url, '--data-only', `--table=${KEYS}`)

    const restored = await emptyDatabase()
    restore(restored.url, before)
    restore(restored.url, keys)
    const copy = openDatabase(restored.url, { asOwner: true })
    const [good] = (await whyKnown(copy, 'operator', 'boiler')).known
    expect(good).toMatchObject({ kind: 'matter:written' })
    expect((await whyKnown(copy, 'operator', 'mallory')).known).toEqual([])
    // The fact is there as it was then: its payload, which nobody can read any more.
    const [reel] = String(bad?.fact).split('#')
    const payloads = await copy
      .selectFrom('fact')
      .select('seq')
      .where('reel', '=', String(reel))
      .where('bytes', 'is not', null)
      .execute()
    expect(payloads.length).toBeGreaterThan(1)
    await copy.destroy()
    await restored.drop()
  })
})
