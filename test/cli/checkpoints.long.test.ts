import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newSignerKey, readSigner, verifierKeyOf } from '@treeos/proofs'
import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { until, useInstance } from './instance.ts'
import { HEX } from './shapes.ts'

const home = useInstance()
const copies = mkdtempSync(join(tmpdir(), 'treeos-checkpoints-'))
afterAll(() => rmSync(copies, { recursive: true }))

interface CheckpointView {
  readonly origin: string
  readonly size: number
  readonly root: string
  readonly note: string
  readonly keys: readonly string[]
}
interface VerifiedView {
  readonly ok: boolean
  readonly broken: readonly object[]
  readonly log: { readonly entries: number; readonly checkpoints: number; readonly suspect: object | null }
}

const newest = () => home.json<CheckpointView>(['checkpoint'])
const signal = (value: number) => home.json(['signal', 'set', 'log.value', String(value)])

/** Waits until all that has happened is signed. */
async function signed(): Promise<CheckpointView> {
  await until('a checkpoint over everything', async () => {
    const behind = await home.asOwner(async (owner) => {
      const { rows } = await sql<{ size: number; behind: number }>`
        select size, (select max(entry) from treeos.journal) - journal as behind from treeos.log_state`.execute(
        owner,
      )
      return rows[0]
    })
    return behind?.behind === 0 && (await newest().catch(() => null))?.size === behind.size
  })
  return newest()
}

async function verified(...options: string[]): Promise<VerifiedView & { readonly exit: number | null }> {
  const { status, stdout } = await home.run(['verify', '--json', ...options])
  return { exit: status, ...(JSON.parse(stdout) as VerifiedView) }
}

describe('treeos checkpoint', () => {
  it('shows the newest one, and those before, each consistent with the record', async () => {
    const first = await signed()
    expect(first).toMatchObject({
      origin: expect.stringMatching(/^treeos\//),
      root: expect.stringMatching(HEX),
    })
    expect(first.note.split('\n').slice(0, 3)).toEqual([
      first.origin,
      String(first.size),
      Buffer.from(first.root, 'hex').toString('base64'),
    ])
    await signal(1)
    const second = await signed()
    expect(second.size).toBeGreaterThan(first.size)
    expect(await home.json(['checkpoint', '--at', String(first.size)])).toEqual(first)
    expect((await home.run(['checkpoint'])).stdout).toBe(second.note)
    expect(await home.refusal(['checkpoint', '--at', '1000000'])).toMatchObject({ code: 'INVALID_INPUT' })
    expect(await verified()).toMatchObject({
      exit: 0,
      ok: true,
      log: { entries: second.size, lastGood: { size: second.size, root: second.root }, suspect: null },
    })
  })

  it('keeps its key to itself, away from workers', () => {
    expect(statSync(join(home.dataDir, 'signer', 'key')).mode & 0o777).toBe(0o600)
    const worker = readFileSync(`/proc/${home.pidOf('worker-1')}/environ`, 'utf8')
    expect(worker).not.toMatch(/TREEOS_(CHECKPOINT_KEY|SEQUENCER_DATABASE_URL)/)
  })

  it('is refused beside the one that runs, which has the memory', async () => {
    expect(await home.refusal(['checkpoint', '--follow', join(copies, 'second')])).toMatchObject({
      code: 'RESOURCE_CONFLICT',
      message: expect.stringContaining(`process ${home.pidOf('checkpoints')} signs the checkpoints`),
    })
  })

  it('verify takes no checkpoints of another key', async () => {
    const { origin, keys } = await newest()
    const stranger = verifierKeyOf(readSigner(newSignerKey(origin)))
    expect(await verified('--key', keys[0] ?? '')).toMatchObject({ exit: 0, ok: true })
    expect(await verified('--key', stranger)).toMatchObject({
      exit: 1,
      broken: expect.arrayContaining([expect.objectContaining({ reason: 'checkpoint-unreadable' })]),
    })
    cpSync(join(home.dataDir, 'checkpoints'), join(copies, 'forged'), { recursive: true })
    writeFileSync(join(copies, 'forged', 'keys'), `${stranger}\n`)
    expect(await verified('--checkpoints', join(copies, 'forged'))).toMatchObject({ exit: 1, ok: false })
    expect(await home.refusal(['verify', '--checkpoints', copies])).toMatchObject({ code: 'INVALID_INPUT' })
  })

  it('covers what is exported at once: the bundle and receipts are ok, and without it they are unproven', async () => {
    await signal(7)
    const [file, bare] = ['all.jsonl', 'bare.jsonl'].map((name) => join(copies, name)) as [string, string]
    await home.json(['export', file])
    await home.json(['export', bare, '--unproven'])
    const { keys } = await newest()
    const check = async (...args: string[]) => {
      const { status, stdout } = await home.run(['verify', '--json', '--key', keys[0] ?? '', ...args])
      return { exit: status, ...JSON.parse(stdout) }
    }
    expect(await check('--bundle', file)).toMatchObject({ exit: 0, status: 'ok', ok: true, unproven: [] })
    expect(await check('--bundle', bare)).toMatchObject({
      exit: 3,
      status: 'unproven',
      ok: false,
      broken: [],
    })
    writeFileSync(bare, readFileSync(bare, 'utf8').replace('"log"', '"lag"'))
    expect(await check('--bundle', bare)).toMatchObject({ exit: 1, status: 'broken' })
    const { stdout } = await home.run(['receipt', '@operator', '--since', '1', '--json'])
    writeFileSync(file, stdout)
    expect(await check('--receipt', file)).toMatchObject({ exit: 0, status: 'ok' })
    expect(await check('--receipt', file, '--strict')).toMatchObject({ exit: 3, status: 'unproven' })
  })

  it('status and doctor tell how old the last one is', async () => {
    const { size } = await signed()
    expect(await home.json(['status'])).toMatchObject({
      checkpoint: { size, ageSeconds: expect.any(Number), refused: null },
    })
    const { checks } = await home.json<{ checks: object[] }>(['doctor'])
    expect(checks).toContainEqual({
      name: 'checkpoints',
      ok: true,
      found: expect.stringMatching(new RegExp(`^${size} entries, signed .* ago$`)),
      mend: null,
    })
  })
})

describe('a backup that the owner of the database restores', () => {
  it('passes without checkpoints, and shows with them: what is gone, and from where on', async () => {
    await signal(2)
    const { size } = await signed()
    await home.asOwner(async (owner) => {
      await sql`create schema backup`.execute(owner)
      for (const { table } of await tables())
        await sql.raw(`create table backup.${table} as table treeos.${table}`).execute(owner)
    })
    await signal(3)
    await signal(4)
    const last = await signed()
    cpSync(join(home.dataDir, 'checkpoints'), join(copies, 'true'), { recursive: true })
    const all = await tables()
    await home.asOwner((owner) =>
      owner.transaction().execute(async (tx) => {
        await sql`set local session_replication_role = replica`.execute(tx)
        for (const { table, columns } of all) {
          await sql.raw(`delete from treeos.${table}`).execute(tx)
          const copy = `select ${columns} from backup.${table}`
          await sql
            .raw(`insert into treeos.${table} (${columns}) overriding system value ${copy}`)
            .execute(tx)
        }
        await sql`select setval('treeos.journal_entry_seq', (select max(entry) from treeos.journal))`.execute(
          tx,
        )
      }),
    )
    expect(await verified('--no-checkpoints')).toMatchObject({ exit: 0, ok: true, broken: [] }) // control
    expect(await verified('--checkpoints', join(copies, 'true'))).toMatchObject({
      exit: 1,
      ok: false,
      log: { lastGood: { size }, suspect: { from: size, gone: expect.any(Number), reels: [] } },
      broken: [{ reel: 'log', seq: size, reason: 'checkpoint-mismatch' }],
    })
    const { stdout } = await home.run(['verify'])
    expect(stdout).toMatch(new RegExp(`changed between entries ${size} and \\d+, \\d+ of them gone:`))
    const refused = 'it is smaller than the one that was signed'
    await until('the refusal', async () => {
      const { checkpoint } = await home.json<{ checkpoint: { refused: string | null } }>(['status'])
      return checkpoint.refused === refused
    })
    expect(await home.refusal(['export', join(copies, 'lost.jsonl'), '--wait', '1'])).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('--unproven'),
    })
    const { stdout: doctor } = await home.run(['doctor', '--json'])
    expect(JSON.parse(doctor).checks).toContainEqual(
      expect.objectContaining({
        name: 'checkpoints',
        ok: false,
        found: `the signer refuses the log of ${size} entries after one of ${last.size}: ${refused}`,
      }),
    )
  })
})

/** The tables of the schema, each with its columns that are not computed. */
const tables = (): Promise<{ table: string; columns: string }[]> =>
  home.asOwner(async (owner) => {
    const { rows } = await sql<{ table: string; columns: string }>`
      select c.relname as table, string_agg(quote_ident(a.attname), ', ') as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      where c.relnamespace = 'treeos'::regnamespace and c.relkind = 'r' group by c.relname`.execute(owner)
    return rows
  })
