import { expect, it } from 'vitest'
import { isTransient, recordRefusalOf } from './sqlstates.ts'

const coded = (code: string) => Object.assign(new Error('any message'), { code })

it.each([
  { what: 'a refused connection', error: coded('ECONNREFUSED'), passes: true },
  {
    what: 'a connection refused at each address',
    error: new AggregateError([coded('ECONNREFUSED')]),
    passes: true,
  },
  {
    what: 'a socket of this machine that no server listens at',
    error: Object.assign(coded('ENOENT'), { syscall: 'connect' }),
    passes: true,
  },
  {
    what: 'a file that there is not',
    error: Object.assign(coded('ENOENT'), { syscall: 'open' }),
    passes: false,
  },
  { what: 'a server that is starting', error: coded('57P03'), passes: true },
  { what: 'a server that is full', error: coded('53300'), passes: true },
  { what: 'a lock that a migration holds', error: coded('57014'), passes: true },
  { what: 'a lost connection', error: new Error('Connection terminated unexpectedly'), passes: true },
  { what: 'a server that became a standby', error: coded('25006'), passes: true },
  { what: 'a pooler without its server', error: coded('08P01'), passes: true },
  {
    what: 'a pooler that takes no settings',
    error: Object.assign(new Error('unsupported startup parameter: statement_timeout'), { code: '08P01' }),
    passes: false,
  },
  { what: 'a wrong password', error: coded('28P01'), passes: false },
  { what: 'an unknown database', error: coded('3D000'), passes: false },
  { what: 'a missing table', error: coded('42P01'), passes: false },
  { what: 'an error in our code', error: new TypeError('x is not a function'), passes: false },
  { what: 'no error at all', error: 'ECONNREFUSED', passes: false },
])('$what is transient: $passes', ({ error, passes }) => {
  expect(isTransient(error)).toBe(passes)
})

const told = (code: string, message: string) => Object.assign(new Error(message), { code })

it.each([
  { what: 'a guard', error: told('42501', 'refused: @ann may not'), refusal: ['refused', '@ann may not'] },
  { what: 'a missing right', error: told('42501', 'permission denied for table fact'), refusal: null },
  { what: 'a value', error: told('22P05', 'it quotes a row'), refusal: ['unstorable', 'SQLSTATE 22P05'] },
  { what: 'a long key', error: told('54000', 'it quotes a row'), refusal: ['unstorable', 'SQLSTATE 54000'] },
  {
    what: 'a constraint',
    error: told('23514', 'it quotes a row'),
    refusal: ['unstorable', 'SQLSTATE 23514'],
  },
  { what: 'a name that is taken', error: told('23505', 'it quotes a row'), refusal: null },
  {
    what: 'a change of the past',
    error: told('TR001', 'the past is fixed'),
    refusal: ['unstorable', 'SQLSTATE TR001'],
  },
  { what: 'an outage', error: told('57P01', 'refused: it stops'), refusal: null },
  { what: 'an error in our code', error: new Error('refused: 42501'), refusal: null },
])('of $what nothing but the refusal is told, and an outage is none', ({ error, refusal }) => {
  const [prospect, what] = refusal ?? []
  expect(recordRefusalOf(error)).toEqual(refusal === null ? null : { prospect, what })
})
