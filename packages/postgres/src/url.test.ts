import { expect, it } from 'vitest'
import { isPostgresUrl } from './url.ts'

it.each([
  ['postgres://u:p@127.0.0.1:5432/db', true],
  ['postgresql://u:p%23%2F%3F@db.example.org/db?sslmode=require', true],
  ['postgres://u:p@[::1]:5432/db', true],
  ['postgres://u@%2Fvar%2Frun:5432/db', true],
  ['/var/run/postgresql db', true],
  ['postgres://u:pa#ss@127.0.0.1:5432/db', false],
  ['postgres://u:pa/ss@127.0.0.1:5432/db', false],
  ['postgres://u:pa?ss@127.0.0.1:5432/db', false],
  ['POSTGRES://u:pa#ss@127.0.0.1/db', false],
])('%s can be read: %s', (url, can) => expect(isPostgresUrl(url)).toBe(can))
