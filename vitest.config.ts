import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Packages whose tests start services. */
const LOCAL = 'packages/local/**'
/** Tests that try many random inputs. */
const PROPERTY = '**/*.property.test.ts'
/** Needs Chromium. */
const BROWSER = 'test/portal/browser/**'
/** Take about a minute or more each, for what seldom breaks: `pnpm test long`, and every night. */
const LONG = [
  'test/faults/links',
  'test/faults/growth',
  'test/packing/packing',
  'test/cli/instances',
  'test/cli/demos',
  'test/scenarios/world/resting',
  'test/cli/vitals',
  'test/scenarios/running/worker-start',
  'test/scenarios/wakes/schedule-outage',
  'test/scenarios/budgets/under-fire',
  'test/scenarios/extensions/hostile-processes',
  'test/scenarios/running/versioned-workers',
  'test/scenarios/running/temporal-data',
].map((file) => `${file}.test.ts`)
/** Needs the machine for itself. */
const STORM = 'test/faults/kill-storm.test.ts'

/**
 * Seconds that the long files take in the whole check on two quiet cores. Those of the first list mostly wait: for servers that come back, for
 * timers and time limits. A lane of them runs beside each lane of others, so that the processors are never idle.
 */
const WAITING: Readonly<Record<string, number>> = {
  'test/faults/lives': 200,
  'test/faults/kills': 300,
  'test/faults/links': 65,
  'test/faults/growth': 140,
  'test/faults/stamps': 200,
  'test/scenarios/world/resting': 120,
  'test/scenarios/people/services-away': 45,
  'test/scenarios/extensions/hostile-processes': 155,
  'test/scenarios/running/worker-start': 75,
  'test/scenarios/wakes/schedule-outage': 45,
  'test/scenarios/budgets/under-fire': 55,
  'test/scenarios/wakes/idle': 30,
  'test/scenarios/overlays/lost': 35,
  'test/scenarios/overlays/leaks': 75,
  'test/scenarios/running/versioned-workers': 55,
  'test/portal/inhabit': 80,
}
const WORKING: Readonly<Record<string, number>> = {
  'test/cli/instances': 160,
  'test/packing': 160,
  'test/cli/detached': 150,
  'test/cli/beyond-loopback': 50,
  'test/docs/': 118,
  'test/cli/vitals': 95,
  'test/cli/stepping': 90,
  'test/cli/demos': 65,
  'test/cli/living': 90,
  'test/cli/mcp': 60,
  'test/cli/looking-back': 60,
  'test/cli/': 40,
  'test/scenarios/people/inhabit': 110,
  'test/portal/sign-in': 70,
  'test/portal/accounts': 125,
  'test/portal/live': 30,
  'test/portal/passkeys': 30,
  'test/portal/provider': 15,
  'test/scenarios/wakes/schedules': 50,
  'test/scenarios/wakes/subscriptions': 60,
  'test/examples': 40,
  'test/proofs/proofs': 70,
  'test/scenarios/wakes/wakes-by-change': 45,
  'test/scenarios/rituals/panel': 70,
  'local/src/temporal/temporal.': 24,
  'local/src/temporal/doors': 30,
  'local/src/postgres/postgres.': 75,
  'test/scenarios/extensions/effects': 40,
  'test/schemas': 20,
  'test/scenarios/security/hijacked': 30,
  'test/scenarios/budgets/budgets.': 35,
  'test/scenarios/running/lives': 150,
  'test/scenarios/moment/short-way': 50,
  'test/scenarios/running/temporal-data': 40,
  'test/replay/': 38,
  'test/proofs/battery': 38,
  'test/proofs/receipts': 30,
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

const NONE = ['**/{node_modules,dist,fixtures}/**']
/** Projects of tests whose files share a real Temporal and Postgres. */
const SERVICES = {
  globalSetup: ['test/support/services.ts', 'scripts/bubblewrap.ts'],
  setupFiles: ['test/support/runtime.ts'],
  testTimeout: 120_000, // allows for a machine that others use too
  maxWorkers: 2 * LANES, // each file has a world of its own; the services are shared
  isolate: false, // a process for each file would load Temporal's SDK a hundred times
  hookTimeout: 180_000, // a first start may build Temporal's server
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
          testTimeout: 30_000, // allows for a machine that others use too
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
          ...SERVICES,
          name: 'services',
          include: ['test/**/*.test.ts', `${LOCAL}/*.test.ts`],
          exclude: [...NONE, ...LONG, STORM, BROWSER],
        },
      },
      { test: { ...SERVICES, name: 'long', include: LONG } },
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
