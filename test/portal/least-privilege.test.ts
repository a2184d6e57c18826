/**
 * The portal is taken over: its login runs any statement. Each attack is refused for lack of a right, and the
 * control shows that a login with more rights gets through.
 */
import { listRoutes, migratePortal } from '@treeos/portal'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { doAs, play } from '../support/life.ts'
import { PortalWorld, portalUrlOf } from '../support/portal.ts'

let at: PortalWorld
let portal: pg.Client
let owner: pg.Client
beforeAll(async () => {
  at = await PortalWorld.start()
  await at.world.birthPuppet('pup')
  portal = new pg.Client(portalUrlOf(at.world))
  const url = new URL(portalUrlOf(at.world))
  owner = new pg.Client(Object.assign(new URL(inject('postgresUrl')), { pathname: url.pathname }).href)
  for (const client of [portal, owner]) await client.connect()
})
afterAll(async () => {
  await portal?.end()
  await owner?.end()
  await at?.close()
})

const ATTACKS: readonly (readonly [string, string])[] = [
  ['an append', `select treeos.append('{}')`],
  ['a forged fact', `insert into treeos.fact select * from treeos.fact limit 0`],
  ['another past', `update treeos.fact set bytes = '{}'`],
  [
    'a summon',
    `insert into treeos.inbox (id, being, kind, priority, content, root) values ('x', 'kid', 'summon', 1, '1', 'x')`,
  ],
  ['an opened moment', `insert into treeos.moment_open select * from treeos.moment_open limit 0`],
  ['a decision', `insert into treeos.moment_decision select * from treeos.moment_decision limit 0`],
  ['access tokens', `select secret_hash from treeos.token`],
  ['whom access tokens are for', `select being from treeos.token`],
  ['an access token past its function', `insert into treeos.token (id) values ('x')`],
  ['an access token revoked past its function', `update treeos.token set revoked_at = now()`],
  ['a claimed wake', `select * from treeos.claim('kid', 'kid/1/1', 1)`],
  ['a new life', `select * from treeos.begin_life('kid', 'x', 'y')`],
  ['a reserved budget', `select * from treeos.reserve('kid/1/1', 'kid', 1, 1, 1)`],
  [
    'a lease of its own',
    `insert into treeos.lease (being, driver, epoch, expires) values ('ada', 'bob', 1, 'infinity')`,
  ],
  [
    'a stored overlay past its function',
    `insert into treeos.overlay (tier, scope, name, content) values ('workspace', 'reality', 'x', 'y')`,
  ],
  ['another address of a vault', `update treeos.vault set url = 'http://127.0.0.1:1'`],
  ['another past of an overlay', `update treeos.overlay_change set by = 'x'`],
  ['another row', `update treeos.projection set parent = null`],
  ['another entry of the log', `update treeos.log_entry set hash = ''`],
  ['another tree', `update treeos.log_tile set hashes = ''`],
  ['the migrations', `select * from portal_migrations.kysely_migration`],
  ['a table of its own', `create table portal.mine (x int)`],
  ['the role of workers', `set role treeos_app`],
]

describe('a portal that was taken over', () => {
  it.each(ATTACKS)('is refused: %s', async (_what, statement) => {
    await portal.query('begin')
    await expect(portal.query(statement)).rejects.toMatchObject({ code: '42501' })
    await portal.query('rollback')
    await portal.query('reset role')
    await owner.query('begin')
    // Control: the statement is right, and only a right was missing.
    const code = await owner.query(statement).then(
      () => null,
      (error: { code?: string }) => error.code ?? 'unknown',
    )
    await owner.query('rollback')
    expect(code).not.toBe('42501')
    expect(code).not.toBe('42601')
    expect(code).not.toBe('42883')
    expect(code).not.toBe('42P01')
  })

  it('is not the owner after RESET ROLE', async () => {
    await portal.query('reset role')
    const { rows } = await portal.query('select current_user as who')
    expect(rows).toEqual([{ who: 'treeos_web' }])
  })
})

/**
 * Functions that a login may call, and that call one of TreeOS that it may not, with the rights of whoever
 * calls.
 */
const unreachable = async (login: string) => {
  const { rows } = await owner.query(
    `with ours as (
      select p.oid, n.nspname || '.' || p.proname as name, p.proname, p.prosecdef, p.prosrc
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname in ('treeos', 'portal'))
    select caller.name || ' calls ' || called.name as fault from ours caller join ours called on called.oid <> caller.oid
    where has_function_privilege($1, caller.oid, 'execute') and not caller.prosecdef and not has_function_privilege($1, called.oid, 'execute')
      and caller.prosrc ~ ('\\m' || called.proname || '\\(') order by 1`,
    [login],
  )
  return rows.map(({ fault }) => fault)
}

it('what a login may call calls nothing that it may not', async () => {
  for (const login of ['treeos_portal', 'treeos_app', 'treeos_people']) {
    expect({ login, faults: await unreachable(login) }).toEqual({ login, faults: [] })
  }
  await owner.query('begin')
  await owner.query('revoke execute on function treeos.is_hurried(text) from treeos_portal')
  expect(await unreachable('treeos_portal')).toEqual(['treeos.is_paced calls treeos.is_hurried'])
  await owner.query('rollback')
})

it("every route with the portal's own login, in a world that is not at rest", async () => {
  const { owner: db } = at.world
  const call = { verb: 'summon', target: '@operator', content: 'may I?' }
  await play(at.world, 'pup', call)
  await doAs(at.world, 'pause-being', '@echo', {})
  // Wakes that no moment took for a minute: of a being that is paused, and of one that would live them.
  for (const being of ['echo', 'kid'])
    await sql`
      insert into treeos.inbox (id, being, kind, priority, content, root, at)
      values (${`late/${being}`}, ${being}, 'event', 3, '1', ${`late/${being}`}, clock_timestamp() - interval '1 minute')`.execute(
      db,
    )
  await sql`
    insert into treeos.parking (being, of, revision) values ('pup', 'pup', -(treeos.standard('llm')->>'revision')::integer)`.execute(
    db,
  )
  const operator = await at.enter('operator')
  const paths = listRoutes(at.portal)
    .filter(({ method, path }) => method === 'GET' && !/live|journal|open/.test(path))
    .map(({ path }) =>
      path.replace(':name', 'pup').replace(':n', '1').replace(':id', 'x').replace(':role', 'x'),
    )
  expect(paths.length).toBeGreaterThan(40)
  const statuses: Record<string, number> = {}
  for (const [i, path] of paths.entries()) {
    if (i % 30 === 29) await at.serveAnew()
    const asked = path.endsWith('/see') ? '?address=@pup' : /space|map$/.test(path) ? '?path=/' : ''
    statuses[path] = (await at.ask(operator, `${path}${asked}`)).status
  }
  expect(Object.entries(statuses).filter(([, status]) => status >= 500)).toEqual([])
  expect(statuses).toMatchObject({ '/api/v1/health': 200, '/api/v1/map': 200, '/api/v1/inbox': 200 })
  expect((await at.ask(operator, '/api/v1/beings/pup')).json).toMatchObject({ states: ['parked'] })
  expect((await at.ask(operator, '/api/v1/beings/echo')).json).toMatchObject({ states: ['paused'] })
  expect(at.errors).toEqual([])
})

it('a worker reads no account and no session of the portal', async () => {
  const worker = new pg.Client(at.world.url)
  await worker.connect()
  for (const table of [
    'account',
    'session',
    'link',
    'throttle',
    'passkey',
    'identity',
    'attempt',
    'outlet',
    'delivery',
    'hook',
  ])
    await expect(worker.query(`select * from portal.${table}`)).rejects.toMatchObject({ code: '42501' })
  await worker.end()
})

it('its migrations run once, and again without a change', async () => {
  expect(await migratePortal(at.world.owner)).toEqual([])
})
