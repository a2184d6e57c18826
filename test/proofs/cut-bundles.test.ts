/**
 * Bundles that somebody cut, relabelled or wrote anew, with true numbers, sums and hashes, and a checkpoint
 * that the log signed.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { act, erasing } from '@treeos/client'
import type { BeingName, Json } from '@treeos/core'
import { type CheckpointedLog, exportBundle } from '@treeos/proofs'
import { genesisHash } from '@treeos/store'
import { type BundleReport, type ChainLinks, readChainLinks, type Status } from '@treeos/verify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSpace, live, momentOf, play, tell } from '../support/life.ts'
import { type LogKey, naiveLog, newLogKey } from '../support/naive-log.ts'
import { stage } from '../support/puppet.ts'
import { useWorld } from '../support/use-world.ts'
import { inOnePart, type Line, linesOf, rehashed, summed, verifyBytes } from './bundle-lines.ts'

const folder = mkdtempSync(join(tmpdir(), 'treeos-cut-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const world = useWorld({ extensions: [stage] })
let key: LogKey
let log: CheckpointedLog

type Lines = Line[]

beforeAll(async () => {
  key = newLogKey(world.reality)
  for (const name of ['ann', 'ben']) await world.birthPuppet(name)
  await world.birth({ name: 'mute', cognition: 'scripted', script: 'silent', role: 'stage:mute' })
  await createSpace(world, '/den')
  await live(world, 'mute', 'hush')
  for (const path of ['/den/a', '/den/b', '/den/c'])
    await play(world, 'ann', { verb: 'do', operation: 'create-space', target: '/den', args: { path } })
  const wake = await tell(world, 'ben', 'the word is tiger-milk')
  await momentOf(world, wake)
  const { reel, seq } = await world.db
    .selectFrom('inbox')
    .innerJoin('fact', 'fact.hash', 'inbox.cause')
    .select(['fact.reel', 'fact.seq'])
    .where('inbox.id', '=', wake)
    .executeTakeFirstOrThrow()
  await act(world, 'operator', await erasing(world.db, `${reel}#${seq}`, 'asked to'))
  log = await naiveLog(world.db, key)
})

async function linesFor(being?: BeingName, range: { since?: number; until?: number } = {}): Promise<Lines> {
  const file = join(folder, 'audit.jsonl')
  await exportBundle(world.db, world.reality, { log: async () => log, being, ...range, file })
  return linesOf(readFileSync(file)).map((line) => JSON.parse(line))
}
const bytesOf = (lines: Lines): Buffer => summed(lines.map((line) => JSON.stringify(sorted(line))))
const check = (lines: Lines, by: string | null = key.verifier, beside?: ChainLinks): Promise<BundleReport> =>
  verifyBytes(bytesOf(lines), by, { beside })
const sorted = (line: Line): Line =>
  Object.fromEntries(Object.entries(line).sort(([a], [b]) => (a < b ? -1 : 1)))

const isOf = (line: Line, reel: string): boolean =>
  (line.reel ?? (line.kind === 'moment' ? `moments:${line.being}` : leafReel(line))) === reel
const leafReel = ({ leaf }: Line): string | null =>
  leaf === undefined ? null : leaf.fact === undefined ? `moments:${leaf.record[0]}` : leaf.fact[0]
const without = (lines: Lines, test: (line: Line) => boolean): Lines => lines.filter((line) => !test(line))
const scoped = (lines: Lines, scope: Json): Lines =>
  lines.map((line) => (line.kind === 'manifest' ? { ...line, scope } : line))
const ofBeing = (being: string): Json => ({ being, since: 1, until: null })
const ofKinds = (lines: Lines, ...kinds: string[]): Lines => lines.filter(({ kind }) => kinds.includes(kind))

/** A chain that ends one link earlier, with a head that says so. */
function shortened(lines: Lines, reel: string): Lines {
  const { seq } = lines.find((line) => line.kind === 'head' && line.reel === reel)!
  const links = lines.filter(
    ({ kind, ...line }) => ['fact', 'moment'].includes(kind) && isOf({ kind, ...line }, reel),
  )
  const before = links.at(-2)!
  const isLast = (line: Line) =>
    ['fact', 'moment'].includes(line.kind) && isOf(line, reel) && (line.seq ?? line.n) === seq
  const isProof = (line: Line) => line.kind === 'proof' && leafReel(line) === reel
  return without(lines, (line) => isLast(line) || isProof(line)).map((line) =>
    line.kind === 'head' && line.reel === reel ? { ...line, seq: seq - 1, hash: before.hash } : line,
  )
}

/** What was true before the last appends, beside a checkpoint that covers them. */
async function asItWas(being?: BeingName): Promise<Lines> {
  const newest = log
  log = await naiveLog(world.db, key, 4)
  const lines = await linesFor(being)
  log = newest
  return lines.map((line) => (line.kind === 'checkpoint' ? { ...line, note: newest.note } : line))
}

interface Kind {
  readonly what: string
  readonly status: Status
  /** to verify without a key gives another status */
  readonly bare?: Status
  readonly forge: () => Promise<Lines>
}

const NOTHING = ['manifest', 'checkpoint', 'end']
const KINDS: readonly Kind[] = [
  {
    what: 'all: manifest, checkpoint and end alone',
    status: 'broken',
    forge: async () => ofKinds(await linesFor(), ...NOTHING),
  },
  {
    what: 'a being that never was, named in such a manifest',
    status: 'broken',
    forge: async () => scoped(ofKinds(await linesFor(), ...NOTHING), ofBeing('zed')),
  },
  {
    what: 'a being that is, named in such a manifest',
    status: 'broken',
    forge: async () => scoped(ofKinds(await linesFor(), ...NOTHING), ofBeing('ann')),
  },
  {
    what: 'all without proofs',
    status: 'unproven',
    forge: async () => without(await linesFor(), ({ kind }) => kind === 'proof'),
  },
  {
    what: 'a being without proofs',
    status: 'unproven',
    forge: async () => without(await linesFor('ann'), ({ kind }) => kind === 'proof'),
  },
  {
    what: 'all without checkpoint and proofs',
    status: 'unproven',
    forge: async () => without(await linesFor(), ({ kind }) => kind === 'proof' || kind === 'checkpoint'),
  },
  {
    what: 'all, relabelled as a being’s, without proofs',
    status: 'broken',
    forge: async () =>
      scoped(
        without(await linesFor(), ({ kind }) => kind === 'proof'),
        ofBeing('ann'),
      ),
  },
  {
    what: 'all, relabelled as a being’s',
    status: 'broken',
    forge: async () => scoped(await linesFor(), ofBeing('ann')),
  },
  {
    what: 'a being’s, relabelled as all',
    status: 'broken',
    forge: async () => scoped(await linesFor('ann'), { all: true }),
  },
  {
    what: 'a being’s, relabelled as another’s',
    status: 'broken',
    forge: async () => scoped(await linesFor('ann'), ofBeing('ben')),
  },
  {
    what: 'a being’s moments from the second on, relabelled as all of its moments',
    status: 'broken',
    forge: async () => scoped(await linesFor('ann', { since: 2 }), ofBeing('ann')),
  },
  {
    what: 'a being’s moments up to the second, relabelled as all of its moments',
    status: 'unproven',
    forge: async () => scoped(await linesFor('ann', { until: 2 }), ofBeing('ann')),
  },
  {
    what: 'a being’s moments, relabelled as fewer',
    status: 'broken',
    forge: async () => scoped(await linesFor('ann'), { being: 'ann', since: 1, until: 2 }),
  },
  {
    what: 'a scope of no known form',
    status: 'broken',
    forge: async () => scoped(await linesFor('ann'), {}),
  },
  {
    what: 'all without the last moment of a being',
    status: 'broken',
    forge: async () => shortened(await linesFor(), 'moments:ann'),
  },
  {
    what: 'all without the last fact of a being',
    status: 'broken',
    forge: async () => shortened(await linesFor(), 'being:operator'),
  },
  {
    what: 'a being’s without its last moment',
    status: 'broken',
    forge: async () => shortened(await linesFor('ann'), 'moments:ann'),
  },
  {
    what: 'a being’s without one fact that was said to it',
    status: 'unproven',
    forge: async () => {
      const lines = await linesFor('ann')
      const cause = lines.find((line) => line.kind === 'moment')!.open.wake.cause
      expect(lines.filter(({ hash }) => hash === cause)).toHaveLength(1)
      return without(lines, ({ hash }) => hash === cause)
    },
  },
  {
    what: 'a being’s without all that others did',
    status: 'unproven',
    forge: async () =>
      without(
        await linesFor('ann'),
        ({ kind, reel, header }) =>
          kind === 'fact' && reel !== 'being:ann' && !header.moment?.startsWith('ann/'),
      ),
  },
  {
    what: 'a being’s as it was, beside the newest checkpoint, without proofs',
    status: 'unproven',
    forge: async () => without(await asItWas('ann'), ({ kind }) => kind === 'proof'),
  },
  {
    what: 'a being’s as it was, beside the newest checkpoint',
    status: 'broken',
    forge: () => asItWas('ann'),
  },
  {
    what: 'all as it was, beside the newest checkpoint, without proofs',
    status: 'broken',
    forge: async () => without(await asItWas(), ({ kind }) => kind === 'proof'),
  },
  {
    what: 'a being’s with no moment, although it has some',
    status: 'broken',
    forge: async () => {
      const lines = await linesFor('mute')
      const reel = 'moments:mute'
      const hash = genesisHash(world.reality.id, reel).toString('hex')
      const cited = new Set(['blob', 'moment'])
      return without(
        lines,
        (line) => cited.has(line.kind) || (line.kind === 'proof' && leafReel(line) === reel),
      ).map((line) =>
        line.kind === 'head' && line.reel === reel ? { ...line, seq: 0, hash, prev: hash } : line,
      )
    },
  },
  {
    what: 'all with a chain that was never there',
    status: 'unproven',
    forge: async () => {
      const lines = await linesFor()
      const at = lines.findIndex(({ kind }) => kind === 'fact')
      const reel = 'moments:zed'
      const hash = genesisHash(world.reality.id, reel).toString('hex')
      return lines.toSpliced(at, 0, { kind: 'head', line: 0, from: 0, reel, seq: 0, hash, prev: hash })
    },
  },
  {
    what: 'an older checkpoint beside newer proofs',
    status: 'broken',
    forge: async () => {
      const { note } = await naiveLog(world.db, key, 5)
      return (await linesFor()).map((line) => (line.kind === 'checkpoint' ? { ...line, note } : line))
    },
  },
  {
    what: 'a proof in the other tree',
    status: 'broken',
    forge: async () =>
      (await linesFor()).map((line) =>
        line.kind === 'proof' ? { ...line, in: line.in === 'log' ? 'heads' : 'log' } : line,
      ),
  },
  {
    what: 'a cited fact that is said to be erased, without its tombstone',
    status: 'broken',
    forge: async () => {
      const lines = await linesFor('mute')
      return lines.map((line) =>
        line.kind === 'fact' && line.reel !== 'being:mute' ? { ...line, payload: null, salt: null } : line,
      )
    },
  },
  {
    what: 'a cited fact that was erased, without its tombstone',
    status: 'broken',
    forge: async () =>
      without(await linesFor('ben'), (line) => isTombstone(line) || isProofOfOther(line, 'ben')),
  },
  {
    what: 'a cited fact that was erased, whose tombstone has no proof',
    status: 'unproven',
    forge: async () => without(await linesFor('ben'), (line) => isProofOfOther(line, 'ben')),
  },
]
const isTombstone = ({ kind, header }: Line) => kind === 'fact' && header.kind === 'fact:erased'
const isProofOfOther = (line: Line, being: string) =>
  line.kind === 'proof' && ![`being:${being}`, `moments:${being}`].includes(leafReel(line)!)

describe(`a bundle that was cut, relabelled or filled in ${KINDS.length} ways, with true numbers, sums and hashes`, () => {
  it.each(KINDS)('$what: $status', async ({ status, bare = status, forge }) => {
    const forged = await forge()
    const found = await check(forged)
    expect(found).toMatchObject({
      status,
      ok: false,
      ...(status === 'unproven' ? { broken: [] } : {}),
    })
    expect(await check(forged, null)).toMatchObject({ status: bare, ok: false })
  })

  it('control: what was exported is ok, for each scope that the attacks begin with', async () => {
    for (const lines of [
      await linesFor(),
      await linesFor('ann'),
      await linesFor('ben'),
      await linesFor('mute'),
      await linesFor('ann', { since: 2 }),
      await linesFor('ann', { until: 2 }),
      await linesFor('ann', { since: 2, until: 2 }),
    ])
      expect(await check(lines)).toMatchObject({ status: 'ok', broken: [] })
    expect(await check(await linesFor())).toMatchObject({ unproven: [] })
  })

  it('names what a being’s bundle cites and what was erased of it, by whom, when and why', async () => {
    const { erased } = await check(await linesFor('ben'))
    expect(erased).toEqual([
      {
        reel: 'being:operator',
        seq: expect.any(Number),
        what: 'payload',
        by: 'operator',
        why: 'asked to',
        at: expect.any(Number),
      },
    ])
  })

  it('of a being without moments says so, and the checkpoint shows it', async () => {
    await world.birth({ name: 'newborn', cognition: 'scripted', script: 'silent', role: 'stage:mute' })
    log = await naiveLog(world.db, key)
    expect(await check(await linesFor('newborn'))).toMatchObject({ status: 'ok', moments: 0, unproven: [] })
  })

  it('beside another one of the reality says where their histories part, and nothing where one goes on', async () => {
    const [part, whole] = [await linesFor('ann', { until: 2 }), await linesFor()]
    const other = structuredClone(whole)
    const changed = other.find(({ kind, reel }) => kind === 'fact' && reel === 'space:/den')
    changed!.header.at += 1
    const anew = rehashed(other)
    const foreign = structuredClone(part)
    foreign[0]!.reality = '00000000-0000-4000-8000-000000000000'
    const toldOf = async (lines: Lines, beside: Lines) => {
      const { unproven } = await check(lines, null, await readChainLinks(inOnePart(bytesOf(beside))))
      return unproven.filter((what) => what.includes('the other bundle'))
    }
    expect(await toldOf(part, whole)).toEqual([])
    expect(await toldOf(whole, part)).toEqual([])
    const parts = expect.stringContaining(
      `different histories of one reality: from link ${changed!.seq} of space:/den on`,
    )
    expect(await toldOf(whole, anew)).toEqual([parts])
    expect(await toldOf(anew, whole)).toEqual([parts])
    expect(await toldOf(part, foreign)).toEqual([expect.stringContaining('of another reality')])
  })
})
