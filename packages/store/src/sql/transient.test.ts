import { expect, it } from 'vitest'
import { isTransient } from './transient.ts'

const coded = (code: string) => Object.assign(new Error('any message'), { code })

it.each([
  { what: 'a refused connection', error: coded('ECONNREFUSED'), passes: true },
  {
    what: 'a connection refused at each address',
    error: new AggregateError([coded('ECONNREFUSED')]),
    passes: true,
  },
  { what: 'a server that is starting', error: coded('57P03'), passes: true },
  { what: 'a server that is full', error: coded('53300'), passes: true },
  { what: 'a lock that a migration holds', error: coded('57014'), passes: true },
  { what: 'a lost connection', error: new Error('Connection terminated unexpectedly'), passes: true },
  { what: 'a wrong password', error: coded('28P01'), passes: false },
  { what: 'an unknown database', error: coded('3D000'), passes: false },
  { what: 'a missing table', error: coded('42P01'), passes: false },
  { what: 'an error in our code', error: new TypeError('x is not a function'), passes: false },
  { what: 'no error at all', error: 'ECONNREFUSED', passes: false },
])('$what is transient: $passes', ({ error, passes }) => {
  expect(isTransient(error)).toBe(passes)
})
