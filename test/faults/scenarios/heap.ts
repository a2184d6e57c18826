import { readFile } from 'node:fs/promises'
import type { Experiment } from '../driver.ts'
import { withoutDefences } from '../sabotaged-worker.ts'
import type { Figures, Scenario } from '../scenario.ts'

const HEAP_MIB = 128
const FIELDS_OF_ONE = 3
/** All qualities of a being together are at most 64 KiB. */
const FIELD_CHARS = 20_000

interface Size {
  readonly beings: number
  readonly questions: number
}

export const heap: Scenario<Size> = {
  name: 'heap',
  about: 'beings in a world of large rows live on when their worker has a heap of 128 MiB',
  sizes: {
    test: { beings: 20, questions: 60 },
    full: { beings: 100, questions: 1000 },
    control: { beings: 20, questions: 400 },
  },
  experiment: { persons: 100, scripted: 6, llm: 6, stallSeconds: 120 },
  attack: (experiment, size, broken) => fillHeap(experiment, size, {}, broken),
  control: {
    without: 'sabotaged attack',
    /** The worker keeps all rows that it reads. */
    attack: (experiment, size, broken) =>
      fillHeap(experiment, size, withoutDefences(['releasing-rows']), broken),
    sign: /^the worker ended \d+ times: .*heap out of memory/,
  },
}

async function fillHeap(
  experiment: Experiment,
  { beings, questions }: Size,
  env: NodeJS.ProcessEnv,
  broken: string[],
): Promise<Figures> {
  // All beings are in one place, so each moment reads these rows.
  const value = 'x'.repeat(FIELD_CHARS)
  for (const person of experiment.persons.slice(0, beings))
    for (let i = 0; i < FIELDS_OF_ONE; i++) {
      const args = { field: `load.large${i}`, value }
      await experiment.operate({ verb: 'do', operation: 'set-being', target: `@${person}`, args })
    }
  experiment.say(`${beings} beings with ${FIELDS_OF_ONE * FIELD_CHARS} characters each`)
  experiment.dismissMidwife()
  const logged = (await readFile(experiment.ground.workerLog, 'utf8')).length
  const options = `${env.NODE_OPTIONS ?? ''} --max-old-space-size=${HEAP_MIB}`.trim()
  const keeper = experiment.keepWorker({ env: { ...env, NODE_OPTIONS: options } })
  await keeper.worker.ready
  const load = experiment.load(16)
  while (experiment.asked.length < questions && keeper.starts === 1) await experiment.progress()
  const memory = await keeper.worker.memory()
  await load.stop()
  if (keeper.starts === 1) await experiment.answered()
  if (keeper.starts > 1) {
    const log = (await readFile(experiment.ground.workerLog, 'utf8')).slice(logged)
    const why = log.split('\n').find((line) => line.startsWith('FATAL ERROR')) ?? 'its log has no fatal error'
    broken.push(`the worker ended ${keeper.starts - 1} times: ${why}`)
  }
  return { rowsMb: (beings * FIELDS_OF_ONE * FIELD_CHARS) / 1e6, memoryMb: Math.round(memory / 2 ** 20) }
}
