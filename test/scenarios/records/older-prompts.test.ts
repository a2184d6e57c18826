/**
 * Moments of an older layout of the prompt, which these tests make: replay tells such a prompt from one that
 * is not identical.
 */

import { prompt } from '@treeos/client'
import { canonicalJson, type Json } from '@treeos/core'
import { replay } from '@treeos/replay'
import {
  digestOf,
  findOpen,
  type MomentNotes,
  type MomentRecord,
  notedDigest,
  type OpenRecord,
  readBases,
} from '@treeos/store'
import { PROMPT_LAYOUT } from '@treeos/world'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { live } from '../../support/life.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const model = useModelServer()
const world = useWorld({ modelServer: model })

const bytes = (value: Json | object) => Buffer.from(canonicalJson(value), 'utf8')

/** Rewrites the records of a moment, as the owner of the database can. */
async function rewrite(
  moment: string,
  open: (record: OpenRecord) => OpenRecord,
  outcome: (record: MomentRecord) => MomentRecord = (record) => record,
): Promise<void> {
  const stored = await findOpen(world.db, moment)
  const opened = open(stored!.record)
  await world.owner.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`update treeos.moment_open set record = ${bytes(opened)} where moment = ${moment}`.execute(tx)
    const { rows } = await sql<{ record: Buffer }>`
      select record from treeos.moment_outcome where moment = ${moment}`.execute(tx)
    const record = JSON.parse(String(rows[0]?.record)) as MomentRecord
    const changed = outcome({ ...record, open: digestOf(opened) })
    await sql`update treeos.moment_outcome set record = ${bytes(changed)} where moment = ${moment}`.execute(
      tx,
    )
  })
}

/** The open record as a version with an older layout of the prompt would have made it. */
const ofOlderLayout = (record: OpenRecord): OpenRecord => ({ ...record, layout: PROMPT_LAYOUT - 1 })

const fromChain = (beings: readonly string[]) =>
  replay({ ...world, temporal: null }, { beings, from: 'chain' })

describe('a moment whose prompt an older version wrote', () => {
  it('is identical in all but the text of its prompt, and replay says how many there are', async () => {
    const { n } = await live(world, 'echo', 'hello')
    await rewrite(`echo/1/${n}`, ofOlderLayout, (record) => ({
      ...record,
      promptDigest: digestOf('of an older layout'),
    }))
    expect(await fromChain(['echo'])).toEqual({
      beings: 1,
      moments: 1,
      identical: true,
      mismatches: [],
      olderPrompts: 1,
    })
    expect(await prompt(world.db, world.registry, 'echo', n)).toMatchObject({ identical: false, older: true })
  })

  it('is still compared in all else', async () => {
    await rewrite('echo/1/1', (record) => ({ ...record, context: { forged: true } }))
    expect(await fromChain(['echo'])).toMatchObject({
      identical: false,
      olderPrompts: 1,
      mismatches: [{ being: 'echo', n: 1, field: 'context' }],
    })
  })

  it('is not one whose prompt this version wrote and somebody changed', async () => {
    const { n } = await live(world, 'librarian', 'hello')
    await rewrite(
      `librarian/1/${n}`,
      (record) => record,
      (record) => ({ ...record, promptDigest: digestOf('forged') }),
    )
    expect(await fromChain(['librarian'])).toMatchObject({
      identical: false,
      mismatches: [{ being: 'librarian', n, field: 'promptDigest' }],
    })
    expect(await prompt(world.db, world.registry, 'librarian', n)).toMatchObject({
      identical: false,
    })
  })

  it('a word that was never said, cited in an open record, is found', async () => {
    const { n } = await live(world, 'librarian', 'a second time')
    const moment = `librarian/1/${n}`
    const { salt, heads, noted } = (await readBases(world.db, [moment])).get(moment)!
    const [reel, seq, hash] = noted!.aside!.did![0]!
    const forged: MomentNotes = { ...noted, aside: { ...noted!.aside, did: [[reel, seq + 1, hash]] } }
    const basis = { salt, heads: Object.fromEntries(heads.map(([reel, seq]) => [reel, seq])), noted: forged }
    await rewrite(moment, (record) => ({ ...record, noted: notedDigest(salt, forged) as string }))
    await world.owner.transaction().execute(async (tx) => {
      await sql`set local session_replication_role = replica`.execute(tx)
      await sql`update treeos.moment_open set basis = ${bytes(basis)} where moment = ${moment}`.execute(tx)
    })
    const { identical, mismatches } = await fromChain(['librarian'])
    expect(identical).toBe(false)
    expect(mismatches.map(({ chain }) => String(chain)).join()).toMatch(/differs from the cited one/)
  })

  it('a fact that was changed after a moment had read it is found, although the basis is stored without hashes', async () => {
    const { n } = await live(world, 'librarian', 'a third time')
    const moment = `librarian/1/${n}`
    const inSlice = new Set((await findOpen(world.db, moment))?.record.heads.map(([reel]) => reel))
    const [read] = ((await readBases(world.db, [moment])).get(moment)?.heads ?? []).filter(
      ([reel, seq]) => seq > 0 && !inSlice.has(reel),
    )
    const [reel, seq, hash] = read!
    const setHash = (to: string) =>
      world.owner.transaction().execute(async (tx) => {
        await sql`set local session_replication_role = replica`.execute(tx)
        await sql`update treeos.fact set hash = ${Buffer.from(to, 'hex')} where reel = ${reel} and seq = ${seq}`.execute(
          tx,
        )
      })
    await setHash(digestOf('forged'))
    const { mismatches } = await fromChain(['librarian'])
    expect(mismatches).toContainEqual(expect.objectContaining({ being: 'librarian', n, field: 'basis' }))
    await setHash(hash)
  })

  it('of a later version is named, not guessed', async () => {
    const { n } = await live(world, 'echo', 'again')
    await rewrite(`echo/1/${n}`, (record) => ({ ...record, layout: PROMPT_LAYOUT + 1 }))
    const { mismatches } = await fromChain(['echo'])
    expect(mismatches.map(({ chain }) => String(chain)).join()).toContain(
      `it shows layout ${PROMPT_LAYOUT + 1} of the prompt`,
    )
  })
})
