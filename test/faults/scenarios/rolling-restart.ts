import { setTimeout as sleep } from 'node:timers/promises'
import { REGISTRY_REEL } from '@treeos/core'
import { useExtension } from '@treeos/reality'
import { listKindsOnReel } from '@treeos/store'
import { sql } from 'kysely'
import { firstBoard } from '../../support/board.ts'
import { FIRST_BOARD_PATH } from '../../support/board-first.ts'
import { SECOND_BOARD_PATH } from '../../support/board-second.ts'
import { MAIL_PATH } from '../../support/mail.ts'
import type { Experiment } from '../driver.ts'
import type { Figures, Scenario } from '../scenario.ts'
import type { WorkerProcess } from '../worker-process.ts'

/** A worker has 5 s for what it holds, and ends by force after 15 s. */
const END_SECONDS_MAX = 20

/** Letters are posted once only, so a worker that dies with one in hand fails a moment. */
export const rolling: Scenario<{ restarts: number }> = {
  name: 'rolling',
  about:
    'workers that are asked to end one after the other, under load, with two versions of an extension in turns, fail no moment and repeat neither a model call nor an effect',
  sizes: { test: { restarts: 3 }, full: { restarts: 50 }, control: { restarts: 12 } },
  experiment: {
    extensions: [{ extension: firstBoard, path: FIRST_BOARD_PATH }],
    llmRole: 'board:keeper',
    persons: 4,
    scripted: 4,
    llm: 4,
    stallSeconds: 60,
    letters: 0.25,
    letterAction: 'mail:post-once',
    officeMsMax: 800,
    modelMsMax: 1500,
  },
  attack: (experiment, { restarts }, broken) =>
    roll(experiment, restarts, broken, async (worker) => {
      const at = Date.now()
      const end = await worker.retire()
      const seconds = (Date.now() - at) / 1000
      if (end !== 0) broken.push(`a worker that was asked to end ended by ${end}`)
      if (seconds > END_SECONDS_MAX) broken.push(`a worker took ${seconds} s to end`)
      return seconds
    }),
  control: {
    without: 'sabotaged attack',
    /** The workers are killed, and nobody is told. */
    attack: (experiment, { restarts }, broken) =>
      roll(experiment, restarts, broken, async (worker) => {
        while (!(isThinking(experiment) && (await isPosting(experiment)))) await sleep(20)
        worker.kill()
        await worker.ended
        return 0
      }),
    sign: [/^outcome of act\/\S+ is failure/, /with nothing dying between/],
  },
}

/**
 * Replaces the older of two workers again and again. Those that start have one version and the other in turns,
 * and the one that is current moves by a command, or as its last worker ends.
 * @param end returns how many seconds that took */
async function roll(
  experiment: Experiment,
  restarts: number,
  broken: string[],
  end: (worker: WorkerProcess) => Promise<number>,
): Promise<Figures> {
  const random = experiment.random.fork()
  let started = 0
  const start = () => {
    const board = BOARDS[started++ % BOARDS.length] ?? FIRST_BOARD_PATH
    return experiment.startWorker(undefined, { env: { TREEOS_EXTENSIONS: [MAIL_PATH, board].join(',') } })
  }
  experiment.dismissMidwife()
  const workers = [start(), start()]
  await Promise.all(workers.map(({ ready }) => ready))
  const load = experiment.load(12)
  const seconds: number[] = []
  for (let i = 1; i <= restarts; i++) {
    await sleep(random.between(200, 1500))
    experiment.check()
    const oldest = workers.shift()
    if (oldest === undefined) throw new Error('there is no worker to replace')
    seconds.push(await end(oldest))
    const next = start()
    workers.push(next)
    await next.ready
    if (random.chance(0.4))
      await useExtension({ ...experiment, db: experiment.owner }, 'board', random.pick(VERSIONS))
    if (i % 10 === 0) experiment.say(`${i} of ${restarts} replaced, ${experiment.asked.length} questions`)
  }
  await load.stop()
  await experiment.answered()
  const [moves, flips] = await countRights(experiment)
  if (flips !== moves) broken.push(`version moved ${moves} times, and rights changed ${flips} times`)
  return { restarts, moves, secondsToEndMax: Math.max(...seconds), failed: await countFailed(experiment) }
}

const VERSIONS = ['1.0.0', '2.0.0']
const BOARDS = [FIRST_BOARD_PATH, SECOND_BOARD_PATH]

/** How often another version of the board became current, and how often its role was written. */
async function countRights({ db }: Experiment): Promise<[moves: number, flips: number]> {
  const facts = await listKindsOnReel(db, REGISTRY_REEL, ['registry:used', 'role:set'])
  const ofBoard = facts.filter(({ payload }) => payload?.extension === 'board' || payload?.origin === 'board')
  const moves = ofBoard.filter(({ header }) => header.kind === 'registry:used').length
  return [moves, ofBoard.length - moves]
}

async function countFailed(experiment: Experiment): Promise<number> {
  const { rows } = await sql<{ failed: number }>`
    select count(*)::int as failed from treeos.moment_outcome where kind = 'failure'`.execute(experiment.db)
  return rows[0]?.failed ?? 0
}

/**
 * One of the two workers has asked the model, so a kill of the older one makes about every second call come
 * again.
 */
const isThinking = (experiment: Experiment): boolean =>
  experiment.openIds.some((id) => experiment.isThinkingOf(id))

async function isPosting(experiment: Experiment): Promise<boolean> {
  experiment.check()
  const { rows } = await sql`select from treeos.moment_effect where result is null limit 1`.execute(
    experiment.db,
  )
  return rows.length > 0
}
