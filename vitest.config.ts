import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Needs the machine for itself. */
const STORM = 'test/faults/kill-storm.test.ts'
/** Ten minutes, most of them spent waiting: begun last, it would be all that still runs. */
const LONGEST = /test\/faults\/faults/
/** A minute or more, each with services and workers of its own: two at once are enough for two processors. */
const LONG = /test\/(cli\/|scenarios\/(schedules|wakes-by-change|budgets-under-fire|factory))/
/** Of the other files, so many are begun while there are long ones to begin. */
const AMONG = 2 / 3

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const longest = sorted.filter(({ moduleId }) => LONGEST.test(moduleId))
    const long = sorted.filter(({ moduleId }) => LONG.test(moduleId))
    const rest = sorted.filter((file) => !longest.includes(file) && !long.includes(file))
    const between = Math.floor((rest.length * AMONG) / Math.max(long.length, 1))
    return [...longest, ...long.flatMap((file) => [file, ...rest.splice(0, between)]), ...rest]
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{packages,extensions,apps}/**/*.test.ts'],
          exclude: ['**/{node_modules,dist,fixtures,template}/**', 'packages/local/**'],
        },
      },
      {
        test: {
          name: 'services',
          include: ['{test,packages/local}/**/*.test.ts'],
          exclude: ['**/{node_modules,dist,fixtures}/**', STORM],
          globalSetup: ['test/support/services.ts'],
          testTimeout: 120_000, // of a machine that others use too
          maxWorkers: 3, // each file has a world of its own and often waits; the services are shared
          hookTimeout: 180_000, // a first start may build Temporal's server
        },
      },
      {
        test: {
          name: 'storm',
          include: [STORM],
          hookTimeout: 180_000,
        },
      },
    ],
  },
})
