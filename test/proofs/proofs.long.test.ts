import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { plantScene } from '@treeos/client'
import court from '@treeos/court'
import { type CheckpointedLog, type ExportRequest, exportBundle } from '@treeos/proofs'
import type { BundleReport } from '@treeos/verify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Random } from '../faults/random.ts'
import { tamper } from '../store/tampered-chains.ts'
import { createSpace, doAs, live, play, setFlow } from '../support/life.ts'
import { type LogKey, naiveLog, newLogKey } from '../support/naive-log.ts'
import { stage } from '../support/puppet.ts'
import { useWorld } from '../support/use-world.ts'
import { linesOf, summed, textOf, verifyBytes } from './bundle-lines.ts'

const EDITS = Number(process.env.TREEOS_BUNDLE_EDITS ?? 300)
const folder = mkdtempSync(join(tmpdir(), 'treeos-proofs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const world = useWorld({ extensions: [stage, court] })
let key: LogKey
let log: CheckpointedLog

beforeAll(async () => {
  key = newLogKey(world.reality)
  await plantScene(world, court)
  for (const name of ['ann', 'ben']) await world.birthPuppet(name)
  await world.birth({ name: 'mute', cognition: 'scripted', script: 'silent', role: 'stage:mute' })
  await setFlow(world, 'ann', [{ when: { 'world.bell.rings': true }, role: 'stage:mode-1', stack: true }])
  await createSpace(world, '/den')
  await live(world, 'mute', 'hush')
  await play(world, 'ann', { verb: 'summon', target: '@ben', content: 'a secret of ann and ben' })
  for (const path of ['/den/a', '/den/b'])
    await play(world, 'ben', { verb: 'do', operation: 'create-space', target: '/den', args: { path } })
  await play(world, 'ann', { verb: 'do', operation: 'move', target: '/den', args: {} })
  await doAs(world, 'set-space', '/den', { field: 'den.warm', value: true })
  log = await naiveLog(world.db, key)
})

/** No verifier derives what an operation of an extension writes. */
const CONVENED = expect.stringMatching(
  /^the permission and the facts of 1 calls: both gates were asked, and what code/,
)

/** Which roles were set is on a reel that a bundle of a being has not. */
const OF_REGISTRY = expect.stringMatching(/^the context of 1 moments: it depends on registry/)

async function bundleOf(
  request: Omit<ExportRequest, 'file' | 'log'> & { log?: CheckpointedLog | null } = {},
): Promise<Buffer> {
  const file = join(folder, 'audit.jsonl')
  const { log: by = log, ...rest } = request
  await exportBundle(world.db, world.reality, { log: by === null ? null : async () => by, ...rest, file })
  return readFileSync(file)
}

const verify = (bytes: Buffer, by: string | null = key.verifier): Promise<BundleReport> =>
  verifyBytes(bytes, by)

describe('an audit bundle', () => {
  it('of everything is checked offline against a checkpoint, and tells what it proves', async () => {
    const whole = await verify(await bundleOf())
    const { facts } = await world.db
      .selectFrom('fact')
      .select(({ fn }) => fn.countAll<number>().as('facts'))
      .executeTakeFirstOrThrow()
    const { moments } = await world.db
      .selectFrom('moment_outcome')
      .select(({ fn }) => fn.countAll<number>().as('moments'))
      .executeTakeFirstOrThrow()
    expect(whole).toMatchObject({
      ok: true,
      broken: [],
      facts,
      moments,
      covered: facts + moments,
      unproven: [CONVENED],
    })
    expect(whole.checkpoint).toMatchObject({
      origin: `treeos/${world.reality.id}`,
      size: facts + moments,
      signed: true,
    })
    const bare = await bundleOf({ log: null })
    for (const by of [key.verifier, null]) {
      const alone = await verify(bare, by)
      expect(alone).toMatchObject({
        status: 'unproven',
        ok: false,
        broken: [],
        checkpoint: null,
        covered: null,
      })
      expect(alone.unproven).toEqual([expect.stringContaining('it has no checkpoint'), CONVENED])
    }
    const late = await verify(await bundleOf({ log: await naiveLog(world.db, key, 3) }))
    expect(late).toMatchObject({ ok: true, broken: [], unproven: [CONVENED] })
    expect(late.covered).toBeLessThan(facts + moments)
    expect(late.covered).toBe(late.facts + late.moments)
  })

  it('with the key of somebody else, or of another reality, is refused', async () => {
    const bytes = await bundleOf()
    for (const other of [newLogKey(world.reality), newLogKey({ id: 'other' })])
      expect(await verify(bytes, other.verifier)).toMatchObject({
        ok: false,
        broken: [{ reason: 'checkpoint-mismatch' }],
      })
    expect((await verify(bytes, null)).unproven).toEqual([
      CONVENED,
      expect.stringContaining('no key was given'),
    ])
  })

  it('of one being holds its moments, what they wrote and cite, and nothing else of others', async () => {
    const bytes = await bundleOf({ being: 'mute' })
    const found = await verify(bytes)
    expect(found).toMatchObject({ ok: true, broken: [], unproven: [OF_REGISTRY], moments: 1, reels: 1 })
    expect(found.scope).toEqual({ being: 'mute', since: 1, until: null })
    expect(bytes.toString()).not.toContain('a secret of ann and ben')
    const others = linesOf(bytes)
      .map((line) => JSON.parse(line))
      .filter(({ kind, reel }) => kind === 'fact' && reel !== 'being:mute')
    expect(others.map(({ header }) => header.kind)).toEqual(['being:summoned']) // what it was told
    const ann = await bundleOf({ being: 'ann', since: 2, until: 2 })
    const scope = { being: 'ann', since: 2, until: 2 }
    expect(await verify(ann)).toMatchObject({ ok: true, moments: 1, scope })
  })
})

/** The line in which a byte lies, from 1. */
const lineAt = (bytes: Buffer, at: number): number =>
  bytes.subarray(0, at).filter((byte) => byte === 10).length + 1
const isLocated = ({ ok, broken }: BundleReport, line: number) =>
  !ok && broken.some((fault) => Math.abs(fault.line - line) <= 1)

describe('a changed bundle', () => {
  it('is refused whichever byte is changed, and the line is named', async () => {
    const bytes = await bundleOf({ being: 'mute' })
    const missed: number[] = []
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes)
      changed[i]! ^= 1 << (i % 8)
      if (!isLocated(await verify(changed), lineAt(bytes, i))) missed.push(i)
    }
    expect(missed).toEqual([])
    expect((await verify(bytes)).ok).toBe(true) // the control
  })

  it(`is refused after ${EDITS} random edits, moves, doubles and drops of lines, and the line is named`, async () => {
    const lines = linesOf(await bundleOf())
    const draw = new Random(18)
    const pick = (most: number) => draw.between(0, most - 1)
    for (let i = 0; i < EDITS; i++) {
      const at = pick(lines.length)
      const to = (at + 1 + pick(lines.length - 1)) % lines.length
      const kind = (['edit', 'move', 'double', 'drop'] as const)[i % 4]!
      const changed = [...lines]
      if (kind === 'edit') {
        const text = lines[at]!
        const place = pick(text.length)
        changed[at] =
          text.slice(0, place) +
          String.fromCharCode(33 + ((text.charCodeAt(place) - 32) % 90)) +
          text.slice(place + 1)
      } else if (kind === 'double') changed.splice(at, 0, lines[at]!)
      else {
        changed.splice(at, 1)
        if (kind === 'move') changed.splice(to, 0, lines[at]!)
      }
      const found = await verify(textOf(changed))
      const where = kind === 'drop' || kind === 'move' || kind === 'double' ? [at, at + 1, at + 2] : [at + 1]
      const isSeen = !found.ok && found.broken.some(({ line }) => where.includes(line))
      expect({ kind, at, isSeen, broken: isSeen ? [] : found.broken }).toMatchObject({ isSeen: true })
    }
  })

  it(`is refused after ${EDITS} edits and drops by somebody who makes its numbers, counts and sums again`, async () => {
    const bytes = await bundleOf()
    const lines = linesOf(bytes)
    // the control: this is what makes them true
    expect(await verify(summed(lines))).toMatchObject({ ok: true })
    const draw = new Random(19)
    const pick = (most: number) => draw.between(0, most - 1)
    for (let i = 0; i < EDITS; i++) {
      const at = 1 + pick(lines.length - 2) // the first line holds the time of the export, which is anybody's
      const changed = [...lines]
      if (i % 3 === 0) changed.splice(at, 1)
      else if (i % 3 === 1) changed.splice(at, 0, lines[at]!)
      else changed[at] = edited(lines[at]!, pick)
      const found = await verify(summed(changed))
      expect({ line: lines[at], ok: found.ok }).toMatchObject({ ok: false })
      if (i % 3 === 2 && !['head', 'checkpoint'].includes(JSON.parse(lines[at]!).kind))
        expect(found.broken.map(({ line }) => line)).toContain(at + 1)
    }
  })
})

/** The line with one changed digit, letter of a hash or name. Texts of people stay. */
function edited(line: string, pick: (most: number) => number): string {
  const { sum: _, ...value } = JSON.parse(line)
  const leaves: { in: Record<string, unknown>; key: string }[] = []
  const walk = (inside: Record<string, unknown>) => {
    for (const name of Object.keys(inside)) {
      const item = inside[name]
      if (typeof item === 'object' && item !== null) walk(item as Record<string, unknown>)
      else if (!['line', 'kind'].includes(name) || inside !== value) leaves.push({ in: inside, key: name })
    }
  }
  walk(value)
  const leaf = leaves[pick(leaves.length)]!
  const was = leaf.in[leaf.key]
  leaf.in[leaf.key] =
    typeof was === 'number'
      ? was + 1
      : typeof was === 'boolean'
        ? !was
        : was === null
          ? 'something'
          : otherText(String(was), pick)
  return JSON.stringify({ ...value, sum: '' })
}

function otherText(text: string, pick: (most: number) => number): string {
  if (text === '') return 'x'
  const at = pick(text.length)
  return text.slice(0, at) + (text[at] === 'a' ? 'b' : 'a') + text.slice(at + 1)
}

describe('a bundle of a record that was tampered with', () => {
  it('names the fact whose payload was changed in the database', async () => {
    const secret = `reel = 'being:ann' and convert_from(bytes, 'UTF8') like '%a secret%'`
    const { seq } = await world.db
      .selectFrom('fact')
      .select('seq')
      .where('reel', '=', 'being:ann')
      .where('kind', '=', 'being:summoned')
      .executeTakeFirstOrThrow()
    await tamper(
      world,
      `create table public.kept as select reel, seq, bytes from treeos.fact`,
      `update treeos.fact set bytes = convert_to(replace(convert_from(bytes, 'UTF8'), 'secret', 'riddle'), 'UTF8') where ${secret}`,
    )
    const { ok, broken } = await verify(await bundleOf())
    await tamper(
      world,
      'update treeos.fact f set bytes = k.bytes from public.kept k where f.reel = k.reel and f.seq = k.seq',
    )
    expect(ok).toBe(false)
    expect(broken).toEqual([
      {
        line: expect.any(Number),
        reel: 'being:ann',
        seq,
        reason: 'payload-mismatch',
        what: expect.any(String),
      },
    ])
    expect((await verify(await bundleOf())).ok).toBe(true)
  })
})
