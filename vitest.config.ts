import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Packages whose tests start services. */
const LOCAL = 'packages/local/**'
/** Tests that try many random inputs. */
const PROPERTY = '**/*.property.test.ts'
/** Tests that put another module in the place of one, so each file has a process of its own. */
const MOCKED = '**/*.mocked.test.ts'
/** Needs Chromium. */
const BROWSER = 'test/portal/browser/**'
/**
 * Run every night, and when they are named: `pnpm test long`. Each promise keeps a scenario in the check of
 * each day, which has to stay short; these are what takes a minute and more, and what looks at the same parts
 * again: other ways in, other outages, larger worlds.
 */
const LONG = '**/*.long.test.ts'
const ATTACKS = ['test/faults/kills.test.ts', 'test/faults/commits.long.test.ts']
/** Needs the machine for itself. */
const STORM = 'test/faults/kill-storm.test.ts'

/** Files of services at once. Many mostly wait, so there are more than processors. */
const FILES_AT_ONCE = 6

/**
 * Longest first by the last run, which vitest remembers in `node_modules/.vite`, and by size where there was
 * none. Attacks always begin at once: they wait for servers that come back, and their files are small.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isAttack = ({ moduleId }: TestSpecification) => ATTACKS.some((path) => moduleId.endsWith(path))
    return (await super.sort(files)).sort((a, b) => Number(isAttack(b)) - Number(isAttack(a)))
  }
}

const NONE = ['**/{node_modules,dist,fixtures}/**']
const NO_TESTS = ['**/{node_modules,dist,fixtures,template}/**']
/** Projects of tests whose files share a real Temporal and Postgres. */
const SERVICES = {
  globalSetup: ['test/support/services.ts', 'scripts/bubblewrap.ts'],
  setupFiles: ['test/support/runtime.ts'],
  testTimeout: 120_000, // allows for a machine that others use too
  maxWorkers: FILES_AT_ONCE, // each file has a world of its own; the services are shared
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
          exclude: [...NO_TESTS, PROPERTY, LOCAL, MOCKED],
          globalSetup: ['scripts/bubblewrap.ts'],
          testTimeout: 30_000, // allows for a machine that others use too
          maxWorkers: '100%', // vitest itself would leave one processor idle
          isolate: false, // to load the modules for each of 200 files takes longer than their tests
        },
      },
      {
        test: {
          name: 'mocked',
          include: [`{packages,extensions,apps,examples}/${MOCKED}`],
          exclude: NO_TESTS,
        },
      },
      {
        test: {
          name: 'property',
          include: [`{packages,extensions,apps,examples}/${PROPERTY}`],
          exclude: NO_TESTS,
          testTimeout: 600_000, // long runs, by FC_RUNS, take minutes
          maxWorkers: '100%',
        },
      },
      {
        test: {
          ...SERVICES,
          name: 'services',
          include: ['test/**/*.test.ts', `${LOCAL}/*.test.ts`],
          exclude: [...NONE, LONG, STORM, BROWSER],
        },
      },
      {
        test: {
          ...SERVICES,
          name: 'long',
          include: [`test/${LONG}`, `packages/local/${LONG}`],
          exclude: NONE,
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
