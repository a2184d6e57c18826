import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Packages whose tests start services. */
const LOCAL = 'packages/local/**'
/** Tests that try many random inputs. */
const PROPERTY = '**/*.property.test.ts'
/** Needs Chromium. */
const BROWSER = 'test/portal/browser/**'
/** Needs the machine for itself. */
const STORM = 'test/faults/kill-storm.test.ts'

/**
 * Seconds that the long files take on two quiet cores. Those of the first list mostly wait: for servers that come back, for
 * timers and time limits. A lane of them runs beside each lane of others, so that the processors are never idle.
 */
const WAITING: Readonly<Record<string, number>> = {
  'test/faults/lives': 120,
  'test/faults/kills': 110,
  'test/faults/links': 90,
  'test/faults/stamps': 90,
  'test/scenarios/resting': 90,
  'test/scenarios/services-away': 45,
  'test/scenarios/hostile-processes': 90,
  'test/scenarios/worker-start': 40,
  'test/scenarios/sandbox-entry': 50,
  'test/scenarios/schedule-outage': 45,
  'test/scenarios/budgets-under-fire': 35,
  'test/scenarios/idle': 20,
  'test/scenarios/overlay-lost': 30,
  'test/scenarios/overlay-leaks': 60,
  'test/scenarios/versioned-workers': 30,
}
const WORKING: Readonly<Record<string, number>> = {
  'test/cli/instances': 180,
  'test/packing': 90,
  'test/cli/detached': 90,
  'test/cli/beyond-loopback': 40,
  'test/docs/': 90,
  'test/cli/vitals': 70,
  'test/cli/stepping': 50,
  'test/cli/demos': 50,
  'test/cli/living': 50,
  'test/cli/': 30,
  'test/scenarios/inhabit': 30,
  'test/portal/sign-in': 60,
  'test/portal/accounts': 60,
  'test/portal/live': 30,
  'test/portal/passkeys': 30,
  'test/portal/provider': 15,
  'test/portal/inhabit': 100,
  'test/scenarios/schedules': 30,
  'test/scenarios/wakes-by-change': 25,
  'test/scenarios/panel': 25,
  'local/src/temporal/temporal.': 24,
  'local/src/temporal/doors': 30,
  'local/src/postgres/postgres.': 20,
  'test/scenarios/effects': 20,
  'test/schemas': 20,
  'test/scenarios/hijacked': 30,
  'test/scenarios/budgets.': 20,
  'test/scenarios/lives': 90,
  'packages/world/src/authority': 10,
  'packages/world/src/hijacked': 12,
}
const OTHERS_SECONDS = 7
/** Files of each list at once. */
const LANES = 3

/** Starts long files first, and spreads those that wait over the run. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const secondsOf = (list: Readonly<Record<string, number>>, { moduleId }: TestSpecification) =>
      Object.entries(list).find(([path]) => moduleId.includes(path))?.[1]
    const planned = (await super.sort(files)).map((file) => {
      const waiting = secondsOf(WAITING, file)
      const seconds = waiting ?? secondsOf(WORKING, file) ?? OTHERS_SECONDS
      return { file, seconds, isWaiting: waiting !== undefined }
    })
    const started = [true, false].flatMap((isWaiting) => {
      const freeAt = Array<number>(LANES).fill(0)
      return planned
        .filter((one) => one.isWaiting === isWaiting)
        .sort((a, b) => b.seconds - a.seconds)
        .map(({ file, seconds }) => {
          const at = Math.min(...freeAt)
          freeAt[freeAt.indexOf(at)] = at + seconds
          return { file, at }
        })
    })
    return started.sort((a, b) => a.at - b.at).map(({ file }) => file)
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{packages,extensions,apps,bench,examples}/**/*.test.ts'],
          exclude: ['**/{node_modules,dist,fixtures,template}/**', PROPERTY, LOCAL],
          globalSetup: ['scripts/bubblewrap.ts'],
          maxWorkers: '100%', // vitest itself would leave one processor idle
        },
      },
      {
        test: {
          name: 'property',
          include: [`{packages,extensions,apps}/${PROPERTY}`],
          exclude: ['**/{node_modules,dist,fixtures,template}/**'],
          maxWorkers: '100%',
        },
      },
      {
        test: {
          name: 'services',
          include: ['test/**/*.test.ts', `${LOCAL}/*.test.ts`],
          exclude: ['**/{node_modules,dist,fixtures}/**', STORM, BROWSER],
          globalSetup: ['test/support/services.ts', 'scripts/bubblewrap.ts'],
          setupFiles: ['test/support/runtime.ts'],
          testTimeout: 120_000, // allows for a machine that others use too
          maxWorkers: 2 * LANES, // each file has a world of its own; the services are shared
          isolate: false, // a process for each file would load Temporal's SDK a hundred times
          hookTimeout: 180_000, // a first start may build Temporal's server
        },
      },
      {
        test: {
          name: 'portal',
          include: [`${BROWSER}/*.test.ts`],
          globalSetup: ['test/support/services.ts'],
          setupFiles: ['test/support/runtime.ts'],
          testTimeout: 60_000,
          hookTimeout: 180_000,
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
