import { NotPlainJsonError, TreeosError } from '@treeos/core'
import { openDatabase } from '@treeos/store'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { refusalOf } from './refusal.ts'

it('a refusal stays as it is', () => {
  const refusal = new TreeosError('FORBIDDEN', 'not you')
  expect(refusalOf(refusal)).toBe(refusal)
  expect(refusalOf(new NotPlainJsonError('$.a', 'no number'))).toMatchObject({ code: 'INVALID_INPUT' })
})

it('a service that is away may be back: SERVICE_UNAVAILABLE, without its address', async () => {
  const db = openDatabase('postgres://user:secret@127.0.0.1:1/none')
  const error = await sql`select 1`.execute(db).catch((fault: unknown) => fault)
  await db.destroy()
  expect(refusalOf(error)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  expect(refusalOf(error).message).not.toMatch(/127|secret|select/)
  const gone = Object.assign(new Error('to 127.0.0.1'), { name: 'ServiceError' })
  expect(refusalOf(gone)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
})

it.each([new Error('relation "x" does not exist'), new TypeError('x'), 'text', null, undefined])(
  'anything else is INTERNAL, without its words: %s',
  (error) => {
    const { code, message } = refusalOf(error)
    expect(code).toBe('INTERNAL')
    expect(message).not.toContain('x"')
  },
)
