import { expect, it } from 'vitest'
import { CarefulClient } from './connection.ts'

/** What a server of this URL says, as whoever asked it is told. */
function told(message: string): string {
  const error = new Error(message)
  const { connection } = new CarefulClient('postgres://worker@127.0.0.1:9/treeos')
  connection.emit('errorMessage', error)
  return error.message
}

it('a pooler that takes no settings is told with what to do, and nothing else is changed', () => {
  expect(told('unsupported startup parameter: statement_timeout')).toBe(
    'unsupported startup parameter: statement_timeout. A pooler of connections stands before Postgres: add ?pooler=transaction to the database ' +
      'URL, as docs/running.md says',
  )
  expect(told('no such database: treeos')).toBe('no such database: treeos')
})
