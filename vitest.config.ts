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
 * Run every night, and when they are named: `pnpm test long`. Each promise keeps a scenario in the check of each day, which has to stay
 * short; here are what takes a minute and more, and what looks at the same parts again: other ways in, other outages, larger worlds.
 */
const LONG = [
  'packages/local/src/postgres/postgres',
  'packages/local/src/temporal/doors',
  'test/cli/authoring',
  'test/cli/bad-input',
  'test/cli/beyond-loopback',
  'test/cli/checkpoints',
  'test/cli/create',
  'test/cli/demos',
  'test/cli/detached',
  'test/cli/dev',
  'test/cli/first-link',
  'test/cli/instances',
  'test/cli/living',
  'test/cli/looking-back',
  'test/cli/mcp',
  'test/cli/stepping',
  'test/cli/tools',
  'test/cli/traces',
  'test/cli/trials',
  'test/cli/vitals',
  'test/cli/witnesses',
  'test/contracts/helm',
  'test/examples/examples',
  'test/faults/controls',
  'test/faults/growth',
  'test/faults/links',
  'test/faults/lives',
  'test/faults/outside',
  'test/packing/image',
  'test/packing/packing',
  'test/portal/accounts',
  'test/portal/client-http',
  'test/portal/client-python',
  'test/portal/guessing',
  'test/portal/inhabit',
  'test/portal/one-connection',
  'test/portal/outside-agents',
  'test/portal/outside-clients',
  'test/portal/programs',
  'test/portal/provider',
  'test/portal/strangers',
  'test/portal/tiles',
  'test/proofs/battery',
  'test/proofs/go-witness',
  'test/proofs/log-against-checkpoints',
  'test/proofs/long-receipts',
  'test/proofs/one-cause',
  'test/proofs/proofs',
  'test/proofs/rebuilt',
  'test/replay/early-signals',
  'test/replay/form',
  'test/replay/recall',
  'test/replay/strict',
  'test/replay/stuck',
  'test/scenarios/asks/asking-less',
  'test/scenarios/asks/names',
  'test/scenarios/budgets/standard',
  'test/scenarios/budgets/under-fire',
  'test/scenarios/extensions/effect-last-attempt',
  'test/scenarios/extensions/emotions',
  'test/scenarios/extensions/hostile-processes',
  'test/scenarios/extensions/own-worker',
  'test/scenarios/lineage/attacks',
  'test/scenarios/lineage/makers',
  'test/scenarios/lineage/tools',
  'test/scenarios/looking-back/causes',
  'test/scenarios/mcp/injection',
  'test/scenarios/mcp/quotas',
  'test/scenarios/memory/backup',
  'test/scenarios/moment/bad-minds',
  'test/scenarios/moment/listening',
  'test/scenarios/moment/real-model',
  'test/scenarios/moment/short-way',
  'test/scenarios/origin/hijacked-calls',
  'test/scenarios/origin/redteam',
  'test/scenarios/overlays/handed-on',
  'test/scenarios/overlays/leaks',
  'test/scenarios/overlays/lost',
  'test/scenarios/overlays/surfaces',
  'test/scenarios/people/at-work',
  'test/scenarios/people/configured-from-inside',
  'test/scenarios/people/deep-lines',
  'test/scenarios/people/endings',
  'test/scenarios/records/put-back',
  'test/scenarios/rituals/announcing',
  'test/scenarios/rituals/panel',
  'test/scenarios/roles/continuing',
  'test/scenarios/roles/looks',
  'test/scenarios/roles/resolvers',
  'test/scenarios/roles/role-manager',
  'test/scenarios/roles/role-standing',
  'test/scenarios/roles/time',
  'test/scenarios/roles/tries',
  'test/scenarios/running/late-tasks',
  'test/scenarios/running/lives',
  'test/scenarios/running/postgres-away',
  'test/scenarios/running/prepare',
  'test/scenarios/running/temporal-data',
  'test/scenarios/running/versioned-workers',
  'test/scenarios/running/worker-start',
  'test/scenarios/security/bad-input',
  'test/scenarios/security/hijacked',
  'test/scenarios/tools/killed',
  'test/scenarios/tools/resolved',
  'test/scenarios/wakes/dancing',
  'test/scenarios/wakes/idle',
  'test/scenarios/wakes/schedule-outage',
  'test/scenarios/wakes/schedules',
  'test/scenarios/wakes/subscriptions',
  'test/scenarios/wakes/triggers',
  'test/scenarios/world/factory',
  'test/scenarios/world/fitness',
  'test/scenarios/world/food',
  'test/scenarios/world/harmony',
  'test/scenarios/world/matter',
  'test/scenarios/world/publishing',
  'test/scenarios/world/resting',
  'test/scenarios/world/weather',
  'test/schemas/migrating',
].map((file) => `${file}.test.ts`)
const ATTACKS = ['test/faults/kills.test.ts', 'test/faults/commits.test.ts']
/** Needs the machine for itself. */
const STORM = 'test/faults/kill-storm.test.ts'

/** Files of services at once. Many mostly wait, so there are more than processors. */
const FILES_AT_ONCE = 6

/**
 * Longest first by the last run, which vitest remembers in `node_modules/.vite`, and by size where there was none. Attacks always begin at once: they
 * wait for servers that come back, and their files are small.
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
          include: [`{packages,extensions,apps}/${MOCKED}`],
          exclude: NO_TESTS,
        },
      },
      {
        test: {
          name: 'property',
          include: [`{packages,extensions,apps}/${PROPERTY}`],
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
