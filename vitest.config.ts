import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Needs the machine for itself. */
const STORM = 'test/faults/kill-storm.test.ts'
/** Minutes each, most of them spent waiting: begun last, they would be all that still runs. */
const LONG = [/test\/faults\/faults/, /test\/cli\//, /test\/scenarios\/(schedules|wakes-by-change)/]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = LONG.findIndex((long) => long.test(moduleId))
      return found < 0 ? LONG.length : found
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
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
          exclude: ['**/{node_modules,dist,fixtures,template}/**'],
        },
      },
      {
        test: {
          name: 'services',
          include: ['{test,infra}/**/*.test.ts'],
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
