/**
 * A world as its two stores held it at each moment of rest, signed each time, and other pasts of the same
 * world.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Checkpoint,
  logOrigin,
  makeCheckpoint,
  readCheckpointFiles,
  readKeys,
  Signer,
  sequence,
} from '@treeos/proofs'
import { type HistoryReplayer, replay } from '@treeos/replay'
import { Random } from '../../faults/random.ts'
import { until } from '../../support/life.ts'
import { openReplayer } from '../../support/replays.ts'
import type { World } from '../../support/world.ts'
import { type Dump, difference, dump, make, unguard } from './dump.ts'
import { Archive, copyOf, fetchHistories, forget, type Histories } from './histories.ts'
import { atRest, begin, liveAtOnce, liveOn } from './small-world.ts'

/** Both stores at one moment of rest: what a backup of both would hold. */
export interface Backup {
  readonly dump: Dump
  readonly histories: Histories
  /** entries of the log */
  readonly size: number
}

/** What an auditor looks at. */
export interface Audited {
  readonly world: World
  readonly archive: Archive
  readonly replayer: HistoryReplayer
  /** of the log, oldest first, one for each backup */
  readonly checkpoints: readonly Checkpoint[]
}

/**
 * A world that came to rest, with its older backups. Its workflows are in the archive only, so that an
 * attacker can write them.
 */
export interface Stage extends Audited {
  /** oldest first; the last one is what both stores hold now */
  readonly backups: readonly Backup[]
  readonly now: Backup
  /**
   * what other moments both stores might hold after the first backup, as the programs themselves write them
   */
  readonly others: readonly Backup[]
  close(): void
}

export interface StageOptions {
  readonly seed: number
  /** moments of rest after the first backup */
  readonly backups: number
  /** other pasts, each with as many moments of rest */
  readonly others: number
  /** hears of each moment of rest, while the workflows still run */
  readonly onRest?: (stage: Audited) => Promise<void>
}

export async function buildStage(world: World, options: StageOptions): Promise<Stage> {
  const random = new Random(options.seed)
  const home = mkdtempSync(join(tmpdir(), 'treeos-battery-'))
  const place = { keyFile: join(home, 'key'), lastFile: join(home, 'last'), folder: join(home, 'notes') }
  const origin = logOrigin(world.reality.id)
  const signer = new Signer({ origin, ...place })
  const checkpoints = () => readCheckpointFiles(place.folder, origin, readKeys(place.folder)).checkpoints
  const sign = async () => {
    const { size } = await makeCheckpoint(world.owner, signer)
    await options.onRest?.({ ...keeper, checkpoints: checkpoints() })
    return size
  }
  const follow = () => sequence(world.owner)
  const archive = new Archive(join(home, 'archive'))
  archive.fill(new Map())
  const keeper = { world, archive, replayer: await openReplayer(), random, rests: options.backups }
  await begin(world)
  const first = await backUp(keeper, new Map(), sign)
  const backups = [first, ...(await liveThrough(keeper, new Map(), sign))]
  const others: Backup[] = []
  for (let i = 0; i < options.others; i++) {
    await world.stopWorker()
    await forget(world)
    await restore(world, first)
    archive.fill(first.histories)
    await world.startWorker()
    others.push(...(await liveThrough(keeper, first.histories, follow)))
  }
  await world.stopWorker()
  await forget(world)
  const now = backups.at(-1) ?? first
  await restore(world, now)
  await unguard(world)
  archive.fill(now.histories)
  const close = () => rmSync(home, { recursive: true, force: true })
  return { ...keeper, backups, now, checkpoints: checkpoints(), others, close }
}

const restore = async (world: World, { dump: to }: Backup): Promise<void> =>
  make(world, to, difference(await dump(world), to))

/** How often several beings act at once. */
const AT_ONCE = 0.3

interface Keeper {
  readonly world: World
  readonly archive: Archive
  readonly replayer: HistoryReplayer
  readonly random: Random
  /** moments of rest */
  readonly rests: number
}

/** @param before histories that the archive alone has */
async function liveThrough(
  keeper: Keeper,
  before: Histories,
  follow: () => Promise<number>,
): Promise<Backup[]> {
  const backups: Backup[] = []
  for (let i = 0; i < keeper.rests; i++) {
    if (keeper.random.chance(AT_ONCE)) await liveAtOnce(keeper.world, keeper.random)
    else await liveOn(keeper.world, keeper.random)
    backups.push(await backUp(keeper, before, follow))
  }
  return backups
}

async function backUp(
  { world, archive, replayer }: Keeper,
  before: Histories,
  follow: () => Promise<number>,
): Promise<Backup> {
  await atRest(world)
  const request = { beings: null, from: 'temporal', archive: archive.folder, replayer } as const
  const isSettled = async () => (await replay(world, request)).identical
  await until(isSettled, { seconds: 120, what: 'the end of all moments in the histories' })
  const size = await follow()
  const held = await dump(world)
  const histories = [...before, ...(await fetchHistories(world))]
  return { dump: held, histories: new Map(histories.map(([run, history]) => [run, copyOf(history)])), size }
}
