/** What a person's act asks for, and under which lease, also where a passkey signed it. */
import { canonicalJson, type Json, type JsonObject } from '@treeos/core'
import { newDecision, recordDecision } from '@treeos/store'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { CALL, OPERATOR, useOpened } from './stolen.ts'

const base = useOpened()
const MOMENT = 'operator/1/1'
beforeAll(() =>
  recordDecision(base.db, MOMENT, newDecision({ kind: 'call', call: CALL, content: null } as never)),
)

const lease = { driver: 'operator', epoch: 3 }
const signed = { key: 'ab12', at: 17, authenticatorData: 'A_-a', clientDataJSON: 'B', signature: 'C' }
const salt = 'ab'.repeat(32)
const others = (value: JsonObject): JsonObject => ({ ...signed, ...value })

it.each<[string, JsonObject, readonly (number | null)[]]>([
  ['no lease', {}, [null]],
  ['a lease', { lease }, [3]],
  ['a signature', { salt, signed }, [null]],
  ['a lease and a signature', { lease, salt, signed }, [3]],
  ['a lease within its signature', { salt, signed: others({ lease }) }, [null]],
  [
    'a lease in the text of its signature',
    { salt, signed: others({ key: '","lease":{"driver":"operator","epoch":3}}' }) },
    [null],
  ],
  ['a lease in the place of its signature', { salt, signed: { lease } }, [null]],
  ['a lease, and a signature of another form', { lease, salt: 'x', signed }, [null]],
  ['a lease, and something else behind it', { lease, other: 1 }, [null]],
  ['a call of something else', { call: { ...CALL, args: { lease } } }, []],
])('an act with %s is done under that lease and no other', async (_, more, leases) => {
  const content = canonicalJson({ answers: null, call: CALL, ...more } as Json)
  const asked = async (under: number | null) => {
    const { rows } = await sql<{ is: boolean | null }>`
      select treeos.is_asked(jsonb_populate_record(i, ${JSON.stringify({ content: `\\x${Buffer.from(content).toString('hex')}` })}::jsonb), ${MOMENT}, ${under}::integer) as is
      from treeos.inbox i where id = ${OPERATOR.wake}`.execute(base.owner)
    return rows[0]!.is
  }
  const taken = await Promise.all(
    [null, 3, 4].map(async (under) => ((await asked(under)) === true ? [under] : [])),
  )
  expect(taken.flat()).toEqual(leases)
})
