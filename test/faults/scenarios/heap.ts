import type { Scenario } from '../scenario.ts'

const HEAP_MIB = 128
/** In which a worker cannot even start. */
const TINY_MIB = 24
const FIELDS_OF_ONE = 3
/** All qualities of a being together are at most 64 KiB. */
const FIELD_CHARS = 20_000

interface Size {
  readonly beings: number
  readonly questions: number
}

/** RELIABILITY C12, first half. */
export const heap: Scenario<Size> = {
  name: 'heap',
  about: 'beings in a world of large rows live on when their worker has a heap of 128 MiB',
  sizes: {
    test: { beings: 20, questions: 60 },
    full: { beings: 100, questions: 1000 },
    control: { beings: 2, questions: 20 },
  },
  trial: { persons: 100, scripted: 6, llm: 6, stallSeconds: 120 },
  async attack(trial, { beings, questions }, broken) {
    // Everybody is in one place, so every moment meets these rows.
    const value = 'x'.repeat(FIELD_CHARS)
    for (const person of trial.persons.slice(0, beings))
      for (let i = 0; i < FIELDS_OF_ONE; i++) {
        const args = { field: `load.large${i}`, value }
        await trial.operate({ verb: 'do', action: 'set-being', target: `@${person}`, args })
      }
    trial.say(`${beings} beings with ${FIELDS_OF_ONE * FIELD_CHARS} characters each`)
    trial.dismissMidwife()
    const keeper = trial.keepWorker({ env: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` } })
    await keeper.worker.ready
    const load = trial.load(16)
    while (trial.asked.length < questions) await trial.progress()
    const memory = await keeper.worker.memory()
    await load.stop()
    await trial.answered()
    if (keeper.starts > 1) broken.push(`the worker ended ${keeper.starts - 1} times`)
    return { rowsMb: (beings * FIELDS_OF_ONE * FIELD_CHARS) / 1e6, memoryMb: Math.round(memory / 2 ** 20) }
  },
  control: {
    without: 'sabotaged attack',
    /** The heap is smaller than what a worker itself needs. */
    async attack(trial) {
      trial.dismissMidwife()
      trial.keepWorker({ env: { NODE_OPTIONS: `--max-old-space-size=${TINY_MIB}` } })
      await trial.ask(trial.scripted[0] ?? '')
      await trial.answered()
      return {}
    },
    sign: [/^nothing came of/, /heap out of memory|heap limit/],
    trial: { persons: 2 },
    stallSeconds: 20,
  },
}
