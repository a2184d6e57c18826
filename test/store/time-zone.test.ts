import { bootstrapReality } from '@treeos/reality'
import { findReality, openDatabase } from '@treeos/store'
import { buildRegistry, seed } from '@treeos/world'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migratedDatabase, type OwnDatabase } from '../support/database.ts'

let database: OwnDatabase
let owner: ReturnType<typeof openDatabase>
beforeAll(async () => {
  database = await migratedDatabase()
  owner = openDatabase(database.url, { asOwner: true, poolMax: 1 })
})
afterAll(async () => {
  await owner?.destroy()
  await database?.drop()
})

const made = (timeZone: string) => bootstrapReality(owner, buildRegistry([seed]), { name: 'zoned', timeZone })

describe('the time zone of a new reality', () => {
  it.each(['+09:00', '-05:00', 'Europe/Berln', 'UTC+3', 'nowhere', ''])(
    '%s is refused, and no reality is made',
    async (zone) => {
      await expect(made(zone)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
      expect(await findReality(owner)).toBeNull()
    },
  )

  it('is kept by the name that was set, in upper and lower case as Node writes it', async () => {
    const other = await migratedDatabase()
    const there = openDatabase(other.url, { asOwner: true, poolMax: 1 })
    try {
      await bootstrapReality(there, buildRegistry([seed]), { name: 'zoned', timeZone: 'Asia/Kolkata' })
      expect(await findReality(there)).toMatchObject({ timeZone: 'Asia/Kolkata' }) // Node writes Asia/Calcutta
    } finally {
      await there.destroy()
      await other.drop()
    }
    await made('europe/berlin')
    expect(await findReality(owner)).toMatchObject({ timeZone: 'Europe/Berlin' })
  })
})
