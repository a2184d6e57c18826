import { readFile } from 'node:fs/promises'
import { newWake, speechOf, type Wake, wakeFields, wakeRecordOf } from '@treeos/core'
import type { Selectable } from 'kysely'
import { expect, it } from 'vitest'
import type { InboxTable } from '../sql/schema.ts'
import { encodeWake, wakeOf } from './encode-wake.ts'

const bare = newWake({ id: 'w', being: 'ann', kind: 'event', priority: 3, content: { said: 'ä' } })
const full: Wake = {
  ...{ ...bare, caller: { name: 'bob', role: 'judge', cognition: 'llm' }, root: 'r', inReplyTo: 'q' },
  ...{
    askedRole: 'clerk',
    hops: 2,
    continues: 1,
    cause: 'ab'.repeat(32),
    answers: 'a',
    refusals: 1,
  },
  ...{ expectReply: false, channel: 'court', overlay: 'o', outside: true, orientation: 'half' },
}

/** The columns as Postgres gives them back. */
const stored = (wake: Wake) =>
  Object.fromEntries(
    Object.entries(encodeWake(wake)).map(([column, value]) => [
      column,
      typeof value === 'string' && value.startsWith('\\x') ? Buffer.from(value.slice(2), 'hex') : value,
    ]),
  ) as unknown as Selectable<InboxTable>

it.each([
  ['with every field', full],
  ['with none that may be left out', bare],
])('a wake %s is read as it was written', (_what, wake) => {
  expect(wakeOf(stored(wake))).toEqual(wake)
})

it('every column of a wake is written by write_inbox, once into and once from', async () => {
  const text = await readFile(new URL('../sql/functions/inbox/write-inbox.sql', import.meta.url), 'utf8')
  const columns = [...Object.keys(encodeWake(full))].filter((column) => column !== 'notice')
  const missing = columns.filter((column) => text.split(new RegExp(`\\b${column}\\b`)).length < 3)
  expect(missing).toEqual([])
  expect(wakeFields.map(([field]) => field).sort()).toEqual(Object.keys(full).sort())
})

it('an open record holds no content, and nothing that the moment holds elsewhere', () => {
  const { being: _1, content: _2, answers: _3, channel: _4, overlay: _5, ...record } = full
  expect(wakeRecordOf(full)).toEqual(record)
})

it('the fact of a summon tells who it is for, and leaves out what the wake leaves out', () => {
  expect(speechOf(bare)).toEqual({
    ...{ correlation: 'w', to: 'ann', content: { said: 'ä' }, root: 'w', inReplyTo: null },
    ...{ role: null, cognition: null },
  })
  expect(speechOf(full)).toMatchObject({
    channel: 'court',
    expectReply: false,
    outside: true,
    role: 'judge',
    cognition: 'llm',
  })
})
