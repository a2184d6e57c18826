import {
  announceVault,
  findOverlaySources,
  findVault,
  forgetVault,
  listOverlayChanges,
  listVaults,
  recordOverlayChange,
} from '@treeos/store'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { freshDatabase } from '../support/database.ts'

const HANDLE = `${'v'.repeat(16)}.${'h'.repeat(43)}`

describe('the record of a thread', () => {
  it('shows that its overlay changed, in order, and cannot be changed', async () => {
    const { people: db, owner, close } = await freshDatabase()
    try {
      const change = { thread: 't1', commitment: 'ab'.repeat(32), handle: HANDLE, by: 'operator' }
      await recordOverlayChange(db, change)
      await recordOverlayChange(db, { ...change, commitment: null, handle: null })
      await recordOverlayChange(db, { ...change, thread: 't2' })
      const kept = await listOverlayChanges(db, 't1')
      expect(kept.map(({ tier, commitment, by }) => ({ tier, commitment, by }))).toEqual([
        { tier: 'thread', commitment: 'ab'.repeat(32), by: 'operator' },
        { tier: 'thread', commitment: null, by: 'operator' },
      ])
      for (const statement of [
        sql`update treeos.overlay_change set by = 'x'`,
        sql`delete from treeos.overlay_change`,
      ])
        await expect(statement.execute(owner)).rejects.toThrow()
    } finally {
      await close()
    }
  })
})

describe('the sources of a wake', () => {
  it('do not exist where nothing was set, and follow the last change of its thread', async () => {
    const { people: db, owner, close } = await freshDatabase()
    try {
      expect(await findOverlaySources(db, 'none')).toBeUndefined()
      await sql`insert into treeos.inbox (id, being, kind, priority, content, root, overlay)
        values ('w1', 'solomon', 'event', 1, '1', 't1', null)`.execute(owner)
      expect(await findOverlaySources(db, 'w1')).toBeUndefined()
      const change = { thread: 't1', commitment: 'ab'.repeat(32), handle: HANDLE, by: 'operator' }
      await recordOverlayChange(db, change)
      expect(await findOverlaySources(db, 'w1')).toEqual({ call: null, thread: HANDLE, hasStored: false })
      await recordOverlayChange(db, { ...change, commitment: null, handle: null })
      expect(await findOverlaySources(db, 'w1')).toBeUndefined()
      await sql`insert into treeos.life (being, generation, chain) values ('solomon', 1, 'c')`.execute(owner)
      await sql`insert into treeos.overlay (tier, scope, name, content, set_by) values ('workspace', 'reality', 'n', 'x', 'operator')`.execute(
        owner,
      )
      expect(await findOverlaySources(db, 'w1')).toEqual({ call: null, thread: null, hasStored: true })
    } finally {
      await close()
    }
  })
})

describe('the table of vaults', () => {
  it('lists the vaults that live, and forgets one that stops', async () => {
    const { db, owner, close } = await freshDatabase()
    try {
      await announceVault(db, { id: 'one', url: 'http://127.0.0.1:1' })
      await announceVault(db, { id: 'two', url: 'http://127.0.0.1:2' })
      await sql`update treeos.vault set expires = now() - interval '1 s' where id = 'one'`.execute(owner)
      expect((await listVaults(db)).map(({ id }) => id)).toEqual(['two'])
      expect(await findVault(db, 'one')).toEqual({ url: 'http://127.0.0.1:1', lives: false })
      await forgetVault(db, 'two')
      expect(await findVault(db, 'two')).toBeNull()
    } finally {
      await close()
    }
  })
})
