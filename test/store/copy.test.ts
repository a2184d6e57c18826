import { type CopyOut, inSnapshot, putBlob } from '@treeos/store'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { useDatabase } from '../support/database.ts'

const base = useDatabase()

const MANY = 20_000
const many = `select i::integer, repeat('x', 100) from generate_series(1, ${MANY}) as i`
const copying = <T>(read: (copy: CopyOut) => Promise<T>) => inSnapshot(base.db, (_, copy) => read(copy))

describe('rows that are copied out', () => {
  it('come all, in order, also when taking them takes time', async () => {
    let [last, waiting, waitingMost] = [0, 0, 0]
    await copying((copy) =>
      copy(many, (row) => {
        expect(row.integer(0)).toBe(last + 1)
        last += 1
        if (last % 500 !== 0) return undefined
        waitingMost = Math.max(waitingMost, ++waiting)
        return new Promise((resolve) => setTimeout(resolve, 1)).then(() => {
          waiting -= 1
        })
      }),
    )
    expect(last).toBe(MANY)
    expect(waitingMost, 'the copy stops for a promise').toBeLessThan(10)
  })

  it('are those of the snapshot', async () => {
    const seen: string[] = []
    const before = await putBlob(base.db, 'before')
    const after = await inSnapshot(base.db, async (tx, copy) => {
      await sql`select 1 from treeos.blob`.execute(tx)
      const digest = await putBlob(base.db, 'after')
      await copy('select digest from treeos.blob', (row) => void seen.push(row.text(0)))
      return digest
    })
    expect(seen).toContain(before)
    expect(seen).not.toContain(after)
  })

  it.each([
    ['the statement', 'select 1 / 0', 'division by zero'],
    [
      'a row that comes late',
      `select 1 / (${MANY} - i) from generate_series(1, ${MANY}) as i`,
      'division by zero',
    ],
  ])('a fault of %s is thrown', async (_, select, message) => {
    await expect(copying((copy) => copy(select, () => undefined))).rejects.toThrow(message)
  })

  it('a fault of who takes them is thrown, and nobody is given more', async () => {
    let taken = 0
    const enough = copying((copy) =>
      copy(many, () => {
        taken += 1
        throw new Error('enough')
      }),
    )
    await expect(enough).rejects.toThrow('enough')
    const later = copying((copy) => copy(many, () => Promise.reject(new Error('enough, later'))))
    await expect(later).rejects.toThrow('enough, later')
    expect(taken).toBe(1)
  })

  it('a lost connection is thrown', async () => {
    // The last row waits, so that not all rows are on their way before the connection is lost.
    const slow = `select i::integer, repeat('x', 20000) from generate_series(1, 20) as i
      where i < 20 or pg_sleep(60) is not null`
    const lost = copying((copy) =>
      copy(slow, (row) => {
        if (row.integer(0) > 1) return undefined
        return sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'treeos copy'
          and datname = current_database()`
          .execute(base.owner)
          .then(() => undefined)
      }),
    )
    await expect(lost).rejects.toThrow(/terminat/)
  })
})
