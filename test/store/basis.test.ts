import type { HeadRef } from '@treeos/core'
import { append, beginLife, readBases, readHeads, recordOpen, writeJson } from '@treeos/store'
import { beforeAll, expect, it } from 'vitest'
import { useDatabase } from '../support/database.ts'
import { batchOf, changed } from './batch.ts'

const base = useDatabase()
beforeAll(async () => {
  const { db, owner, reality } = base
  await append(owner, await batchOf(db, reality, { drafts: [changed('space:/a'), changed('space:/a', 2)] }))
  await append(owner, await batchOf(db, reality, { drafts: [changed('space:/b')] }))
  await beginLife(db, reality.id, 'ann', 'run-1')
})

const REELS = ['being:nobody', 'space:/a', 'space:/b']
const MOMENT = 'ann/1/1'
const SALT = 'ab'.repeat(32)

async function currentBasis(): Promise<HeadRef[]> {
  const heads = await readHeads(base.db, base.reality.id, REELS)
  return heads.map(({ reel, seq, hash }): HeadRef => [reel, seq, hash])
}

it('the basis of a moment is stored without hashes and read with those of its facts', async () => {
  const basis = await currentBasis()
  expect(basis.map(([reel, seq]) => [reel, seq])).toEqual([
    ['being:nobody', 0],
    ['space:/a', 2],
    ['space:/b', 1],
  ])
  await recordOpen(base.owner, {
    moment: MOMENT,
    being: 'ann',
    n: 1,
    wake: 'w',
    openedAt: 1,
    basis: { salt: SALT, heads: basis, noted: { aside: { did: [] } } },
    face: null,
    record: writeJson({}),
  })
  await append(base.owner, await batchOf(base.db, base.reality, { drafts: [changed('space:/b', 3)] }))
  expect((await readBases(base.db, [MOMENT, 'ann/1/9'])).get(MOMENT)).toEqual({
    salt: SALT,
    heads: basis,
    noted: { aside: { did: [] } },
  })
  const row = await base.db.selectFrom('moment_open').select('basis').executeTakeFirstOrThrow()
  expect(row.basis.toString()).toBe(
    `{"heads":{"being:nobody":0,"space:/a":2,"space:/b":1},"noted":{"aside":{"did":[]}},"salt":"${SALT}"}`,
  )
})

it('a fact that is missing has no hash, and what was changed so that it holds no heads gives a head of no reel', async () => {
  const stored = {
    'bo/1/1': JSON.stringify([['space:/a', 1, 'f'.repeat(64)]]),
    'cy/1/1': '{"heads":{"space:/a":7}}',
  }
  for (const [moment, basis] of Object.entries(stored)) {
    const being = moment.slice(0, 2)
    await beginLife(base.db, base.reality.id, being, 'run-1')
    await base.owner
      .insertInto('moment_open')
      .values({
        moment,
        being,
        n: 1,
        wake: 'w',
        opened_at: 1,
        face: null,
        record: Buffer.from('{}'),
        basis: Buffer.from(basis),
      })
      .execute()
  }
  const bases = await readBases(base.db, ['bo/1/1', 'cy/1/1'])
  expect(bases.get('bo/1/1')?.heads.map(([reel]) => reel)).toEqual([''])
  expect(bases.get('cy/1/1')?.heads).toEqual([['space:/a', 7, '']])
})
