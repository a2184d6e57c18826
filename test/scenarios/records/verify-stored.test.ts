/**
 * What `treeos verify` finds besides broken chains: anything derived from facts that the owner of the
 * database changed.
 */

import { takeLease } from '@treeos/client'
import { type BrokenReason, type ChainFault, verifyAll } from '@treeos/proofs'
import { defineExtension, defineOperation, setQuality } from '@treeos/sdk'
import { findReality } from '@treeos/store'
import { FOLD } from '@treeos/world'
import { sql } from 'kysely'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { rewriteLastRecord, tamper } from '../../store/tampered-chains.ts'
import { NO_EVIDENCE, NOT_EVIDENCE } from '../../support/evidence.ts'
import { doAs, live, play, publish } from '../../support/life.ts'
import { drawn, IS_NIGHT } from '../../support/night.ts'
import { stage } from '../../support/puppet.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const sky = defineExtension({
  name: 'sky',
  version: '1.0.0',
  operations: [
    defineOperation({
      name: 'sky:look',
      description: 'Looks up.',
      on: 'being',
      allow: ['self'],
      effect: { timeoutSeconds: 5, attempts: 1, perform: async () => 'blue' },
      decide: ({ actor, effect }) => ({ facts: [setQuality(actor, 'sky.seen', effect)] }),
    }),
  ],
})

const world = useWorld({ extensions: [stage, sky], modelServer: useModelServer() })
const TABLES = [
  'fact',
  'head',
  'projection',
  'watch',
  'account',
  'parking',
  'moment_open',
  'moment_decision',
  'moment_effect',
  'moment_outcome',
  'inbox',
  'blob',
  'lease',
  'life',
  'reality',
]
/** The chains. `verify.test.ts` changes each of their columns. */
const CHAINS = ['head', 'fact']
/** What is found beside the constraint that this file drops, which shows by itself. */
async function verify() {
  const found = await verifyAll(world.db, (await findReality(world.owner))!.id, FOLD)
  return { ...found, broken: found.broken.filter(({ key }) => key !== 'blob blob_has_its_digest') }
}

beforeAll(async () => {
  await publish(world, 'bell.rings', false) // before anybody hears it
  await world.birth({
    name: 'mind',
    cognition: 'llm',
    role: 'stage:free',
    roleFlow: [{ when: { 'world.bell.rings': true }, role: 'stage:free' }],
  })
  await doAs(world, 'set-budget', '@mind', { tokens: 100_000, per: 'day' })
  await live(world, 'mind', 'What do you see?')
  await world.birthPuppet('sky')
  expect(
    await play(world, 'sky', { verb: 'do', operation: 'sky:look', target: null, args: {} }),
  ).toMatchObject({
    outcome: 'act',
  })
  await play(world, 'sky', { verb: 'see', address: '/' })
  // the operator hears that it failed
  await play(world, 'sky', { verb: 'do', operation: 'fly', target: null, args: {} })
  // refused by its standing
  await play(world, 'sky', { verb: 'do', operation: 'end-being', target: '@mind', args: {} })
  await world.birthPuppet('driven')
  await takeLease(world, { being: 'driven', as: 'operator' })
  await sql`update treeos.lease set expires = now() + interval '1 day'`.execute(world.owner) // no sweep ends it meanwhile
  await sql`alter table treeos.blob drop constraint blob_has_its_digest`.execute(world.owner) // as an owner can
  for (const table of TABLES) {
    const columns = await storedColumns(table)
    const kept = `public.kept_${table}`
    await sql.raw(`create table ${kept} as select ${columns} from treeos.${table}`).execute(world.owner)
    restoring.push(
      `delete from treeos.${table}`,
      `insert into treeos.${table} (${columns}) overriding system value select ${columns} from ${kept}`,
    )
  }
})
afterEach(async () => {
  await tamper(world, ...restoring)
  expect((await verify()).broken).toEqual([])
})

const restoring = ['alter table treeos.overlay disable row level security']

/** Those that Postgres does not make from others. */
async function storedColumns(table: string): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select quote_ident(column_name) as name from information_schema.columns
    where table_schema = 'treeos' and table_name = ${table} and is_generated = 'NEVER'`.execute(world.owner)
  return rows.map(({ name }) => name).join()
}

/** For each table, which of its rows is changed. */
const ROW: Record<string, string> = {
  projection: `key = 'being:mind'`,
  watch: `being = 'mind'`,
  account: `being = 'mind'`,
  moment_open: `being = 'mind'`,
  moment_decision: `moment like 'mind/%'`,
  moment_effect: `moment like 'sky/%'`,
  moment_outcome: `being = 'operator' and judged is not null`,
  inbox: `being = 'mind' and kind = 'summon'`,
  blob: `digest = (select face from treeos.moment_open where being = 'mind' limit 1)`,
  lease: `being = 'driven'`,
  life: `being = 'mind'`,
  reality: 'true',
}

/**
 * For each column: another value, the fault that must be reported, and the row when it is not that of its
 * table.
 */
const EDITS: Record<string, [to: string, reason: BrokenReason, row?: string]> = {
  'projection.key': [`'being:other'`, 'row-mismatch'],
  'projection.reel': [`'being:other'`, 'row-mismatch'],
  'projection.state': [`replace(state, '"cognition"', '"cognitiom"')`, 'row-mismatch'],
  'projection.folded_seq': ['folded_seq - 1', 'row-mismatch'],
  'projection.place': [`'/elsewhere'`, 'row-mismatch'],
  'projection.parent': [`'mind'`, 'row-mismatch'],
  'projection.cognition': [`'human'`, 'row-mismatch'],
  'watch.being': [`'nobody'`, 'watch-mismatch'],
  'watch.reel': [`'space:/elsewhere'`, 'watch-mismatch'],
  'watch.path': [`'other'`, 'watch-mismatch'],
  'watch.name': [`'other'`, 'watch-mismatch'],
  'watch.equals': [`'[1]'`, 'watch-mismatch'],
  'watch.priority': ['0', 'watch-mismatch'],
  'watch.coalesce_seconds': ['60', 'watch-mismatch'],
  'account.being': [`'nobody'`, 'limit-mismatch'],
  'account.revision': ['revision + 1', 'limit-mismatch'],
  'account.moments_max': ['1000000', 'limit-mismatch'],
  'account.tokens_max': ['tokens_max * 10', 'limit-mismatch'],
  'account.micros_max': ['1', 'limit-mismatch'],
  'account.per': [`'total'`, 'limit-mismatch'],
  'moment_open.moment': [`'mind/9/9'`, 'open-mismatch'],
  'moment_open.being': [`'other'`, 'open-mismatch'],
  'moment_open.n': ['n + 1000', 'open-mismatch'],
  'moment_open.wake': [`'other'`, 'open-mismatch'],
  'moment_open.opened_at': ['opened_at - 1', 'open-mismatch'],
  'moment_open.record': [
    `overlay(record placing '7' from position('openedAt":' in convert_from(record, 'UTF8')) + 10 for 1)`,
    'open-mismatch',
  ],
  'moment_open.basis': [`convert_to('{}', 'UTF8')`, 'open-mismatch'],
  'moment_open.face': ['null', 'open-mismatch'],
  'moment_decision.moment': [`'mind/9/9'`, 'decision-mismatch'],
  'moment_decision.kind': [`'other'`, 'decision-mismatch'],
  'moment_decision.digest': [`repeat('0', 64)`, 'decision-mismatch'],
  'moment_decision.salt': ['set_bit(salt, 3, 1 - get_bit(salt, 3))', 'decision-mismatch'],
  'moment_decision.bytes': ['set_bit(bytes, 40, 1 - get_bit(bytes, 40))', 'decision-mismatch'],
  'moment_effect.moment': [`'sky/9/9'`, 'effect-mismatch'],
  'moment_effect.operation': [`'other:look'`, 'effect-mismatch'],
  'moment_effect.request': ['set_bit(request, 40, 1 - get_bit(request, 40))', 'effect-mismatch'],
  'moment_effect.result': ['set_bit(result, 40, 1 - get_bit(result, 40))', 'effect-mismatch'],
  'moment_effect.salt': ['set_bit(salt, 3, 1 - get_bit(salt, 3))', 'effect-mismatch'],
  'moment_outcome.judged': [`convert_to('{}', 'UTF8')`, 'judged-mismatch'],
  'moment_outcome.sent': [
    `convert_to('{}', 'UTF8')`,
    'sends-mismatch',
    `being = 'operator' and sent is not null`,
  ],
  'moment_outcome.refusal': [
    'set_bit(refusal, 40, 1 - get_bit(refusal, 40))',
    'refusal-mismatch',
    `being = 'sky' and refusal is not null`,
  ],
  'lease.being': [`'nobody'`, 'lease-mismatch'],
  'lease.driver': [`'mind'`, 'lease-mismatch'],
  'lease.epoch': ['epoch + 1', 'lease-mismatch'],
  'lease.under': ['1', 'lease-mismatch'],
  'life.being': [`'nobody'`, 'life-mismatch'],
  'life.generation': ['generation + 1', 'life-mismatch'],
  'reality.id': ['gen_random_uuid()', 'prev-mismatch'],
  'reality.name': [`'other'`, 'reality-mismatch'],
  'reality.time_zone': [`'Asia/Tokyo'`, 'reality-mismatch'],
  'inbox.id': [`'other'`, 'wake-mismatch'],
  'inbox.being': [`'other'`, 'wake-mismatch'],
  'inbox.caller': [`'mind'`, 'wake-mismatch'],
  'inbox.caller_role': [`'judge'`, 'wake-mismatch'],
  'inbox.caller_cognition': [`'llm'`, 'wake-mismatch'],
  'inbox.content': [`convert_to('"Give me all."', 'UTF8')`, 'wake-mismatch'],
  'inbox.root': [`'other'`, 'wake-mismatch'],
  'inbox.in_reply_to': [`'other'`, 'wake-mismatch'],
  'inbox.cause': ['null', 'wake-mismatch'],
  'inbox.expect_reply': ['not expect_reply', 'wake-mismatch'],
  'inbox.channel': [`'other'`, 'wake-mismatch'],
  'inbox.outside': ['not outside', 'wake-mismatch'],
  'inbox.orientation': [`'half'`, 'wake-mismatch'],
  'inbox.kind': [`'event'`, 'wake-mismatch'],
  'inbox.priority': ['priority + 1', 'wake-mismatch'],
  'inbox.asked_role': [`'judge'`, 'wake-mismatch'],
  'inbox.hops': ['hops + 1', 'wake-mismatch'],
  'inbox.continues': ['continues + 1', 'wake-mismatch'],
  'inbox.answers': [`'other'`, 'wake-mismatch'],
  'inbox.about': [`'other'`, 'wake-mismatch'],
  'inbox.let_go': [`'other'`, 'wake-mismatch'],
  'inbox.refusals': ['refusals + 1', 'wake-mismatch'],
  'inbox.salt': ['set_bit(salt, 3, 1 - get_bit(salt, 3))', 'wake-mismatch'],
  'inbox.login': ['null', 'act-unexplained', `being = 'operator' and kind = 'act'`],
  'blob.digest': [`repeat('0', 64)`, 'blob-mismatch'],
  'blob.bytes': [`convert_to('{}', 'UTF8')`, 'blob-mismatch'],
}

/** Columns of the record itself, which the chain holds: `verify.test.ts` changes each. */
const OF_CHAINS = [
  ...[
    'moment',
    'being',
    'n',
    'kind',
    'reason',
    'wake',
    'sealed_at',
    'primary_role',
    'prev',
    'hash',
    'record',
  ].map((name) => `moment_outcome.${name}`),
]

describe('a change to what is derived from facts is found', () => {
  // By day the first of each table.
  const tableOf = (column: string) => column.slice(0, column.indexOf('.'))
  const columns = Object.keys(EDITS)
  const isFirst = (column: string) => columns.find((one) => tableOf(one) === tableOf(column)) === column
  const edits = Object.entries(EDITS).filter(([column]) => IS_NIGHT || isFirst(column))
  it.each(edits)('%s', async (column, [to, reason, row]) => {
    const [table = '', name = ''] = column.split('.')
    await tamper(world, `update treeos.${table} set ${name} = ${to} where ${row ?? ROW[table]}`)
    const { ok, broken } = await verify()
    expect(ok).toBe(false)
    expect(broken.map((fault) => fault.reason)).toContain(reason)
  })

  it('covers every column except those that prove nothing', async () => {
    const { rows } = await sql<{ name: string }>`
      select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'treeos' and table_name = any(${Object.keys(ROW)}) and is_generated = 'NEVER'`.execute(
      world.owner,
    )
    expect([...Object.keys(EDITS), ...OF_CHAINS, ...NOT_EVIDENCE].sort()).toEqual(
      rows.map(({ name }) => name).sort(),
    )
  })
})

it('names every table that proves nothing', async () => {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'treeos' order by 1`.execute(
    world.owner,
  )
  const named = [...CHAINS, ...Object.keys(ROW), 'parking', ...Object.keys(NO_EVIDENCE)]
  expect(named.sort()).toEqual(rows.map(({ name }) => name).sort())
})

describe('rows that are invented or gone are found', () => {
  const only = async (): Promise<ChainFault[]> => [...(await verify()).broken]

  const CHANGES: readonly { what: string; statement: string; reason: BrokenReason }[] = [
    {
      what: 'a being is gone',
      statement: `delete from treeos.projection where key = 'being:mind'`,
      reason: 'row-mismatch',
    },
    {
      what: 'a being is invented',
      statement: `insert into treeos.projection select 'being:ghost', 'being:ghost', state, folded_seq, place, parent, cognition
        from treeos.projection where key = 'being:mind'`,
      reason: 'row-mismatch',
    },
    {
      what: 'a watch is gone',
      statement: `delete from treeos.watch where being = 'mind'`,
      reason: 'watch-mismatch',
    },
    {
      what: 'a limit is gone',
      statement: `delete from treeos.account where being = 'mind'`,
      reason: 'limit-mismatch',
    },
    {
      what: 'a being is parked that met no limit',
      statement: `insert into treeos.parking (being, of, revision) values ('mind', 'mind', 1)`,
      reason: 'limit-mismatch',
    },
    {
      what: 'what a moment opened with is gone',
      statement: `delete from treeos.moment_open where being = 'mind'`,
      reason: 'open-mismatch',
    },
    {
      what: 'an answer is gone',
      statement: `delete from treeos.moment_decision where moment like 'mind/%'`,
      reason: 'decision-mismatch',
    },
    {
      what: 'an effect is gone',
      statement: `delete from treeos.moment_effect where moment like 'sky/%'`,
      reason: 'effect-mismatch',
    },
    {
      what: 'an effect is invented',
      statement: `insert into treeos.moment_effect (moment, operation, request)
        select moment, 'sky:look', convert_to('{}', 'UTF8') from treeos.moment_outcome
        where being = 'operator' and judged is not null limit 1`,
      reason: 'effect-mismatch',
    },
    {
      what: 'a being is driven by nobody that a fact names',
      statement: `insert into treeos.lease (being, driver, epoch, expires) values ('mind', 'operator', 1, now() + interval '1 day')`,
      reason: 'lease-mismatch',
    },
    {
      what: 'a lease of nobody is invented',
      statement: `insert into treeos.lease (being, driver, epoch, expires) values ('nobody', 'operator', 1, now())`,
      reason: 'lease-mismatch',
    },
    {
      what: 'a life is gone',
      statement: `delete from treeos.life where being = 'mind'`,
      reason: 'life-mismatch',
    },
    {
      what: 'a life between others is gone',
      statement: `insert into treeos.life (being, generation, chain) values ('mind', 3, 'forged')`,
      reason: 'life-mismatch',
    },
    {
      what: 'the last fact of a reel that a moment wrote is cut off, with its head and its row',
      statement: `with facts as (delete from treeos.fact where reel = 'world:bell'),
        heads as (delete from treeos.head where reel = 'world:bell')
        delete from treeos.projection where key = 'world:bell'`,
      reason: 'facts-mismatch',
    },
    {
      what: 'a summon in the name of the operator is invented',
      statement: `insert into treeos.inbox (id, being, kind, priority, caller, caller_role, caller_cognition, content, root, closed_by)
        select 'forged', being, kind, priority, caller, caller_role, caller_cognition, content, 'forged', 'forged'
        from treeos.inbox where being = 'mind' and kind = 'summon' limit 1`,
      reason: 'wake-mismatch',
    },
    {
      what: 'what a being saw is changed on the way to its next moment',
      statement: `update treeos.inbox set content = convert_to('{"event":"look"}', 'UTF8') where id like 'look/sky/%'`,
      reason: 'wake-mismatch',
    },
    {
      what: 'what a being saw is emptied, though nothing was erased',
      statement: `update treeos.inbox set content = 'null', salt = null where id like 'look/sky/%'`,
      reason: 'wake-mismatch',
    },
    {
      what: 'a wake by which a being goes on is gone',
      statement: `delete from treeos.inbox where id like 'look/sky/%'`,
      reason: 'wake-missing',
    },
    {
      what: 'a wake by which a being goes on is invented',
      statement: `insert into treeos.inbox (id, being, kind, priority, content, root)
        select 'continue/' || moment, being, 'event', 5, 'null', 'forged' from treeos.moment_outcome where being = 'mind' order by n limit 1`,
      reason: 'wake-unsent',
    },
    {
      what: 'a wake by a change that nothing caused is invented',
      statement: `insert into treeos.inbox (id, being, kind, priority, content, root, cause)
        select 'change/' || moment || '/mind', 'mind', 'event', 5, 'null', 'forged', hash from treeos.moment_outcome where being = 'mind' order by n limit 1`,
      reason: 'wake-unsent',
    },
    {
      what: 'a notice of a failure says something else',
      statement: `update treeos.inbox set content = convert_to('{"event":"failure"}', 'UTF8') where id like 'notice/sky/%'`,
      reason: 'wake-mismatch',
    },
    {
      what: 'an entry says that another moment closed it',
      statement: `update treeos.inbox set closed_by = (select moment from treeos.moment_outcome where being = 'sky' limit 1)
        where being = 'mind' and kind = 'summon'`,
      reason: 'wake-mismatch',
    },
    {
      what: 'why a call was refused is gone',
      statement: `update treeos.moment_outcome set refusal = null where being = 'sky' and refusal is not null`,
      reason: 'refusal-mismatch',
    },
    {
      what: 'what a moment sent is gone',
      statement: `update treeos.moment_outcome set sent = null where being = 'operator' and sent is not null and n = 1`,
      reason: 'sends-mismatch',
    },
    {
      what: 'row security hides rows from who checks',
      statement: 'alter table treeos.overlay enable row level security',
      reason: 'table-mismatch',
    },
    {
      what: 'a summon that nobody has lived is gone',
      statement: `delete from treeos.inbox where being = 'operator' and kind = 'summon' and closed_by is null`,
      reason: 'wake-missing',
    },
    {
      what: 'a summon that cites what was said to somebody else is invented',
      statement: `insert into treeos.inbox (id, being, kind, priority, caller, caller_role, caller_cognition, content, root, cause, closed_by)
        select 'forged', 'operator', kind, priority, caller, caller_role, caller_cognition, content, root, cause, 'forged'
        from treeos.inbox where being = 'mind' and kind = 'summon' limit 1`,
      reason: 'wake-mismatch',
    },
  ]
  it.each(drawn(CHANGES))('$what', async ({ statement, reason }) => {
    await tamper(world, statement)
    const broken = await only()
    expect(broken.map((fault) => fault.reason)).toContain(reason)
    expect(broken.length).toBeLessThan(4)
  })
})

describe('with all hashes made again it is found', () => {
  it.each<{ what: string; change: (ids: string[]) => object; reason: BrokenReason }>([
    {
      what: 'that a moment has the id of another number',
      change: ([, last = '']) => ({ moment: last.replace(/\d+$/, '99') }),
      reason: 'life-mismatch',
    },
    {
      what: 'that a moment is of no life',
      change: () => ({ moment: 'sky/none/3' }),
      reason: 'life-mismatch',
    },
    {
      what: 'that a moment is of a life that has not begun',
      change: ([, last = '']) => ({ moment: last.replace('/1/', '/7/') }),
      reason: 'life-mismatch',
    },
    {
      what: 'that a wake has two moments',
      change: ([, , wake = '']) => ({ wake }),
      reason: 'wake-mismatch',
    },
  ])('$what', async ({ change, reason }) => {
    const lived = await world.owner
      .selectFrom('moment_outcome')
      .select(['moment', 'wake'])
      .where('being', '=', 'sky')
      .orderBy('n')
      .execute()
    const [first, last] = [lived[0], lived.at(-1)]
    await sql`drop index treeos.moment_outcome_wake`.execute(world.owner)
    try {
      const forged = change([String(first?.moment), String(last?.moment), String(first?.wake)])
      await rewriteLastRecord(world, 'sky', forged)
      const found = await verify()
      expect(found.broken).toContainEqual(expect.objectContaining({ reel: 'moments:sky', reason }))
      expect(found.broken).toContainEqual(
        expect.objectContaining({
          key: 'moment_outcome index moment_outcome_wake',
          reason: 'table-mismatch',
        }),
      )
    } finally {
      await tamper(world, ...restoring)
      await sql`create unique index moment_outcome_wake on treeos.moment_outcome (wake)
        where reason is distinct from 'superseded'`.execute(world.owner)
    }
  })
})
