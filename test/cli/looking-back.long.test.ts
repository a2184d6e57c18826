import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type NotNull, sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { until, useInstance, useJsonFiles } from './instance.ts'
import { HEX } from './shapes.ts'

const home = useInstance()
const file = useJsonFiles()
beforeAll(async () => {
  const flow = file('kid.json', [
    { role: 'resident', when: { verb: 'summon' } },
    { role: 'librarian', stack: true },
  ])
  await home.json(['birth', 'kid', '--cognition', 'scripted', '--script', 'echo', '--flow', flow])
  await home.json(['move', '/library'])
})

describe('looking back', () => {
  it('moments are JSON lines, oldest first and without gaps', async () => {
    const { stdout } = await home.run(['moments', '@operator', '--json'])
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ n }) => n)).toEqual(lines.map((_, i) => i + 1))
    const last = await home.run(['moments', '@operator', '--json', '--last', '2'])
    expect(last.stdout.trimEnd().split('\n')).toHaveLength(2)
    expect(JSON.parse(last.stdout.split('\n')[1] ?? '')).toMatchObject({
      n: lines.length,
      outcome: expect.any(String),
    })
  })

  it('moments name what woke the being and what it did', async () => {
    await home.json(['summon', '@echo', 'hello', '--wait', '30'])
    const last = await home.run(['moments', '@echo', '--last', '1', '--json'])
    const { wake, ...moment } = JSON.parse(last.stdout)
    expect(moment).toMatchObject({
      verb: 'summon',
      woke: { trigger: 'message', from: '@operator', thread: wake },
      did: { verb: 'summon', target: '@operator' },
    })
    const shown = await home.run(['moments', '@echo', '--last', '1'])
    expect(shown.stdout).toMatch(
      /^ +\d+ {2}\S+ \S+Z {2}message @operator {2}act {2}summon @operator {2}resident {2,}[\d.]+ s\n$/,
    )
    const moved = await home.run(['moments', '@operator', '--json'])
    const acts = moved.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(acts).toContainEqual(
      expect.objectContaining({
        woke: { trigger: 'act', from: null, thread: expect.any(String) },
        did: { verb: 'do', operation: 'move', target: '/library' },
      }),
    )
  })

  it('tail prints moments and facts as they happen, and goes on after an id', async () => {
    const child = home.start(['tail', '@echo', '--json'])
    let [stdout, stderr] = ['', '']
    child.stdout?.setEncoding('utf8').on('data', (text) => (stdout += text))
    child.stderr?.setEncoding('utf8').on('data', (text) => (stderr += text))
    await until('its start', () => stderr.includes('following after'))
    await home.json(['summon', '@echo', 'are you there?', '--wait', '30'])
    const linesOf = (text: string) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    await until('the answer', () => stdout.includes('being:summoned'))
    const lines = linesOf(stdout)
    expect(lines[0]).toMatchObject({
      type: 'moment',
      stance: '@echo',
      outcome: 'act',
      woke: { from: '@operator' },
    })
    expect(lines[1]).toMatchObject({
      type: 'fact',
      kind: 'being:summoned',
      actor: 'echo',
      reel: 'being:echo',
    })
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([0, null])
    const again = home.start(['tail', '@echo', '--json', '--after', lines[0].id])
    let rest = ''
    again.stdout?.setEncoding('utf8').on('data', (text) => (rest += text))
    await until('the rest', () => rest.includes('\n'))
    expect(linesOf(rest)[0]).toEqual(lines[1])
    again.kill('SIGINT')
    await once(again, 'exit')
  })

  it('tail is refused for a being that does not live, and for an id of another reality', async () => {
    expect(await home.refusal(['tail', '@nobody'])).toMatchObject({ status: 1, code: 'BEING_NOT_FOUND' })
    expect(await home.refusal(['tail', '--after', '99999999'])).toMatchObject({ code: 'INVALID_INPUT' })
  })

  it('logs shows what the services wrote, and where', async () => {
    const { status, stdout, stderr } = await home.run(['logs', '--last', '3'])
    expect(status).toBe(0)
    expect(stdout).toMatch(/^worker-1 +\| /m)
    expect(stderr).toContain(`worker-1: ${home.dataDir}/worker-1.log`)
    const worker = await home.run(['logs', 'worker-1', '--json', '--last', '1'])
    expect(JSON.parse(worker.stdout)).toEqual({ service: 'worker-1', line: expect.any(String) })
    expect(await home.refusal(['logs', 'portal'])).toMatchObject({ status: 1, code: 'INVALID_INPUT' })
  })

  it('explain shows every clause, prompt rebuilds the prompt that was sent', async () => {
    await home.json(['summon', '@kid', 'hello', '--wait', '30'])
    const explained = await home.json<{ clauses: object[] }>(['explain', '@kid', '1'])
    expect(explained).toMatchObject({
      primary: 'resident',
      stacked: ['librarian'],
      surface: { canSummon: ['@operator'] },
    })
    expect(Object.keys(explained.clauses[0] ?? {})).toEqual(
      expect.arrayContaining(['index', 'role', 'stack', 'result', 'reason', 'tree']),
    )
    expect(await home.json(['prompt', '@kid', '1'])).toEqual({
      system: expect.stringContaining('kid'),
      user: expect.stringContaining('hello'),
      digest: expect.stringMatching(HEX),
      identical: true,
    })
  })

  it('explain says how a moment ended that reached no gate', async () => {
    await home.json(['birth', 'lost', '--cognition', 'llm', '--connection', 'nowhere'])
    await home.run(['summon', '@lost', 'hello', '--wait', '30'])
    expect(await home.json(['explain', '@lost', '1'])).toMatchObject({
      gates: { allowed: null },
      ended: {
        outcome: 'failure',
        reason: 'LLM_NOT_CONFIGURED',
        message: expect.stringContaining('"nowhere"'),
      },
    })
    const { stdout } = await home.run(['explain', '@lost', '1'])
    expect(stdout).toMatch(/^ended {5}failure LLM_NOT_CONFIGURED: @lost uses the model connection "nowhere"/m)
    expect((await home.run(['explain', '@kid', '1'])).stdout).not.toContain('ended')
  })

  it('lists name who lives here and what code brings', async () => {
    const beings = await home.json<{ stance: string }[]>(['beings'])
    expect(beings.map(({ stance }) => stance)).toEqual(
      expect.arrayContaining(['@operator', '@echo', '@librarian', '@kid']),
    )
    const extensions = await home.json<{ name: string }[]>(['extensions'])
    expect(extensions.map(({ name }) => name)).toEqual(expect.arrayContaining(['seed', 'emotions']))
    const operations = await home.json<{ verb: string; name: string }[]>(['operations'])
    expect(operations).toEqual(
      expect.arrayContaining([expect.objectContaining({ verb: 'be', name: 'birth', allow: ['self'] })]),
    )
  })

  it('verify and both replays find everything as it was, and speak on stdout once', async () => {
    expect(await home.json(['verify'])).toMatchObject({ ok: true, broken: [] })
    const one = await home.json(['replay', '@kid', '--from', 'chain'])
    expect(one).toEqual({ beings: 1, moments: 1, identical: true, mismatches: [] })
    expect(await home.json(['replay', '--all', '--from', 'both'])).toMatchObject({
      identical: true,
      mismatches: [],
    })
    const last = { record: 'both', differences: 0, login: 'treeos_commands' }
    expect(await home.json(['replay', '--all', '--if-due'])).toMatchObject({ last })
    const { checks } = (await home.json(['doctor'])) as {
      checks: { name: string; ok: boolean; found: string }[]
    }
    const check = checks.find(({ name }) => name === 'replay')
    expect(check).toMatchObject({ ok: true, found: expect.stringContaining('no difference; due every') })
  })

  it('erase takes away what a moment decided; everything still verifies, and replay names it', async () => {
    await home.json(['summon', '@echo', 'a secret', '--wait', '30'])
    const { n } = JSON.parse((await home.run(['moments', '@echo', '--last', '1', '--json'])).stdout) as {
      n: number
    }
    const moment = `echo/1/${n}`
    const erased = await home.json(['erase', moment, '--why', 'it was said to us in confidence'])
    expect(erased).toMatchObject({
      result: { moment },
      facts: [{ reel: 'being:echo', kind: 'moment:erased' }],
    })
    expect(await home.json(['verify'])).toMatchObject({ ok: true })
    const { stdout, status } = await home.run(['replay', '@echo', '--from', 'chain'])
    expect(status).toBe(0)
    expect(stdout).toContain(`erased by operator: moment ${moment} (it was said to us in confidence)`)
    expect(await home.run(['erase', moment, '--why', 'again', '--json'])).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('RESOURCE_CONFLICT'),
    })
  })

  it('a legal hold keeps what concerns a being; person erase takes the rest, and says what stays and why', async () => {
    await home.json(['hold', 'set', '@kid', 'case-4', '--why', 'letter of 3 May'])
    expect(await home.json(['hold', 'list', '--person', '@operator', '--since', '1h'])).toMatchObject([
      { on: '@kid', name: 'case-4', why: 'letter of 3 May', by: '@operator' },
    ])
    expect((await home.run(['hold', 'list', '--csv'])).stdout).toMatch(/^on,name,at,by,why\r\nkid,case-4,/)
    const found = await home.json<{ items: { id: string; state: string }[]; held: string[] }>([
      'person',
      'find',
      '@kid',
    ])
    expect(found).toMatchObject({ person: '@kid', moments: 1, held: ['"case-4" on @kid'] })
    const held = await home.json<{ erased: string[]; kept: { why: string }[] }>([
      ...['person', 'erase', '@kid', '--why', 'asked to by kid'],
    ])
    expect(held.erased).toEqual([])
    expect(held.kept[0]?.why).toBe('it is under the hold "case-4" on @kid')
    await home.json(['hold', 'lift', '@kid', 'case-4', '--why', 'settled'])

    const copy = join(home.dataDir, 'kid.jsonl')
    await home.json(['person', 'export', '@kid', copy])
    const lines = readFileSync(copy, 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).id)).toContain('kid/1/1')
    const { erased, kept } = await home.json<{ erased: string[]; kept: { what: string }[] }>([
      ...['person', 'erase', '@kid', '--why', 'asked to by kid'],
    ])
    expect(erased).toContain('kid/1/1')
    expect(kept.map(({ what }) => what)).toEqual(expect.arrayContaining(['being:born', 'hold:lifted']))
    expect(await home.json(['verify'])).toMatchObject({ ok: true })
    // Whom words were said to is gone with them, so those of others are not found again.
    const again = await home.json<{ items: { id: string; state: string }[] }>(['person', 'find', '@kid'])
    const left = again.items.filter(({ state }) => state === 'kept').map(({ id }) => id)
    expect(left.filter((id) => erased.includes(id))).toEqual([])
    expect(again.items.find(({ id }) => id === 'kid/1/1')).toMatchObject({ state: 'gone' })
  })

  it('report writes what a period had into one file', async () => {
    const to = join(home.dataDir, 'report.json')
    const counts = await home.json(['report', to, '--since', '1d', '--until', '2999-01-01'])
    expect(counts).toMatchObject({ file: to, holds: 2 })
    const report = JSON.parse(readFileSync(to, 'utf8'))
    expect(report.acts.length).toBeGreaterThan(3)
    expect(report.acts[0]).toMatchObject({ outcome: 'act', by: expect.arrayContaining([expect.any(String)]) })
    expect(report.erasures.length).toBeGreaterThan(0)
    expect(report.checkpoints[0]).toMatchObject({ size: expect.any(Number), note: expect.any(String) })
    expect(await home.run(['report', to, '--since', '2026-05-02', '--until', '2026-05-01'])).toMatchObject({
      status: 2,
    })
  })

  it('refold makes every row again from its facts, and repairs one that was changed in the database', async () => {
    const stored = () =>
      home.asOwner((owner) => owner.selectFrom('projection').selectAll().orderBy('key').execute())
    const rows = await stored()
    expect(await home.json(['refold'])).toEqual({ rows: rows.length, changed: 0, keys: [], erased: [] })
    const kid = rows.find(({ key }) => key === 'being:kid')!
    const forged = kid.state.replace('"home":"/"', '"home":"/library"')
    expect(forged).not.toBe(kid.state)
    await home.asOwner((owner) =>
      owner.updateTable('projection').set({ state: forged }).where('key', '=', kid.key).execute(),
    )
    expect((await home.run(['refold'])).stdout).toBe(
      `${rows.length} rows made again: 1 repaired\n  being:kid\n`,
    )
    expect(await stored()).toEqual(rows)
  })

  it('verify and replay end with 1 where a fact was changed in the database, and say which moment and fact', async () => {
    const before = await home.asOwner((owner) =>
      owner
        .selectFrom('fact')
        .select(['seq', 'bytes'])
        .where('reel', '=', 'being:kid')
        .where('bytes', 'is not', null)
        .$narrowType<{ bytes: NotNull }>()
        .orderBy('seq')
        .execute(),
    )
    const forged = before.find(({ bytes }) => bytes.includes('"librarian"'))!
    const write = (text: string) =>
      home.asOwner((owner) =>
        owner.transaction().execute(async (tx) => {
          await sql`set local session_replication_role = replica`.execute(tx) // no trigger runs
          await tx
            .updateTable('fact')
            .set({ bytes: Buffer.from(text, 'utf8') })
            .where('reel', '=', 'being:kid')
            .where('seq', '=', forged.seq)
            .execute()
        }),
      )
    const text = forged.bytes.toString('utf8')
    const ran = async (...args: string[]) => {
      const { status, stdout } = await home.run([...args, '--json'])
      return { status, value: JSON.parse(stdout) as unknown }
    }
    await write(text.replace('"librarian"', '"resident"'))
    try {
      expect(await ran('verify')).toMatchObject({
        status: 1,
        value: { ok: false, broken: [{ reel: 'being:kid', seq: forged.seq, reason: 'payload-mismatch' }] },
      })
      const { status, value } = await ran('replay', '@kid', '--from', 'chain')
      expect({ status, value }).toMatchObject({ status: 1, value: { beings: 1, identical: false } })
      const { mismatches } = value as { mismatches: { being: string; n: number; field: string }[] }
      expect(mismatches.filter(({ field }) => field === 'stack')).toMatchObject([
        {
          being: 'kid',
          n: 1,
          recorded: { primary: { name: 'resident' }, stacked: [{ name: 'librarian' }] },
          chain: { primary: { name: 'resident' }, stacked: [{ name: 'resident' }] },
        },
      ])
    } finally {
      await write(text)
    }
    expect((await home.run(['verify'])).status).toBe(0)
    expect((await home.run(['replay', '@kid', '--from', 'chain'])).status).toBe(0)
  })

  it.each([
    [['moments', '@nobody'], 'BEING_NOT_FOUND'],
    [['explain', '@nobody', '1'], 'BEING_NOT_FOUND'],
    [['explain', '@echo', '999999'], 'MOMENT_NOT_FOUND'],
    [['prompt', '@echo', '999999'], 'MOMENT_NOT_FOUND'],
    [['replay', '@nobody'], 'BEING_NOT_FOUND'],
    [['flow', 'get', '@nobody'], 'BEING_NOT_FOUND'],
    [['reply', 'no-such-correlation', 'hi'], 'CORRELATION_NOT_FOUND'],
    [['see', '/nowhere'], 'SPACE_NOT_FOUND'],
  ])('%j is refused with %s', async (args, code) => {
    expect(await home.refusal(args)).toMatchObject({ status: 1, code })
  })
})
