/** A record with a log and a signer, for tests of both. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Checkpoint, logOrigin, readCheckpointFiles, readKeys, Signer } from '@treeos/proofs'
import { append, type Db, openDatabase, type StoreDb } from '@treeos/store'
import type { Kysely } from 'kysely'
import { expect, inject } from 'vitest'
import { batchOf, changed } from '../store/batch.ts'
import { freshDatabase, type TestDatabase } from '../support/database.ts'

export let base: TestDatabase
/** as the sequencer logs in */
export let sequencer: Kysely<StoreDb>
let home: string
export let signer: Signer

export function sequencerUrlOf(url: string): string {
  const login = inject('sequencerPostgresUrl')
  if (login === null) throw new Error('set TREEOS_SEQUENCER_DATABASE_URL to a member of treeos_sequencer')
  return Object.assign(new URL(login), { pathname: new URL(url).pathname }).href
}

export async function begin(): Promise<void> {
  base = await freshDatabase()
  sequencer = openDatabase(sequencerUrlOf(base.url), { poolMax: 4 })
  home = mkdtempSync(join(tmpdir(), 'treeos-log-'))
  signer = signerIn('one')
}

export async function end(): Promise<void> {
  await sequencer.destroy()
  await base.close()
  rmSync(home, { recursive: true })
}

export function signerIn(name: string): Signer {
  const own = join(home, name)
  return new Signer({
    origin: logOrigin(base.reality.id),
    keyFile: join(own, 'key'),
    lastFile: join(own, 'last.json'),
    folder: join(own, 'checkpoints'),
  })
}

export function checkpoints(name = 'one'): readonly Checkpoint[] {
  const folder = join(home, name, 'checkpoints')
  const { checkpoints, faults } = readCheckpointFiles(folder, logOrigin(base.reality.id), readKeys(folder))
  expect(faults).toEqual([])
  return checkpoints
}

export const byReel = (a: { reel: string }, b: { reel: string }) => (a.reel < b.reel ? -1 : 1)

export const write = async (db: Db, ...reels: string[]) =>
  append(db, await batchOf(db, base.reality, { drafts: reels.map((reel) => changed(reel)) }))

export const entries = async (db: Db = base.db) =>
  (await db.selectFrom('log_entry').select(['index', 'reel', 'seq']).orderBy('index').execute()).map(
    ({ index, reel, seq }) => `${index} ${reel} ${seq}`,
  )
