/**
 * Who may import whom. `depcruise packages apps extensions bench examples test` holds the tree to it;
 * test/contracts/import-rules.test.ts proves every rule on an import that breaks it.
 * Files are parsed with swc, so `import type` counts as an import everywhere it does not say otherwise.
 */

/** The map of the architecture: each package and what it may import, by arrows which never circle. */
const arrows = {
  core: [],
  roles: ['core'],
  signature: ['core'],
  overlay: ['core'],
  world: ['core', 'roles', 'signature'],
  postgres: [],
  egress: ['core'],
  store: ['core', 'postgres'],
  protocol: ['core', 'roles'],
  reality: ['core', 'roles', 'world', 'store'],
  workflows: ['core', 'roles', 'protocol'],
  activities: ['core', 'egress', 'signature', 'overlay', 'world', 'store', 'protocol', 'reality'],
  sdk: ['core', 'roles', 'signature', 'world'],
  tools: ['core', 'egress', 'world', 'sdk'],
  telemetry: ['core', 'egress', 'store'],
  client: ['core', 'roles', 'signature', 'overlay', 'world', 'store', 'protocol', 'reality'],
  local: ['egress', 'postgres'],
  host: [
    'core',
    'overlay',
    'world',
    'store',
    'protocol',
    'reality',
    'workflows',
    'activities',
    'client',
    'local',
    'telemetry',
  ],
  'world-file': ['core', 'roles', 'world', 'store', 'reality', 'client'],
  replay: ['core', 'roles', 'world', 'store', 'protocol', 'reality', 'workflows', 'host'],
  trials: ['core', 'roles', 'signature', 'world', 'store', 'reality', 'activities', 'replay'],
  'client-http': [],
  verify: ['core', 'roles', 'world'],
  proofs: ['core', 'egress', 'world', 'store', 'reality', 'verify'],
}

const any = (names) => `(${names.join('|')})`
const tests = '[.]test[.]tsx?$'
const ours = '^(packages|apps|extensions|examples/worlds|bench|test|scripts)/'

const arrowRules = Object.entries(arrows).map(([name, mayImport]) => ({
  name: `arrows-of-${name}`,
  comment: `packages/${name} may import of ours: ${mayImport.join(', ') || 'nothing'}.`,
  severity: 'error',
  from: { path: `^packages/${name}/` },
  to: { path: ours, pathNot: `^packages/${any([name, ...mayImport])}/` },
}))

/**
 * The stages of a package: the folders of its sources, in an order. Each may import the ones before it and
 * none after it.
 * @param prefix of the rules' names: `prefix-stage`
 */
const stages = (prefix, folder, order) =>
  order.slice(0, -1).map((stage, i) => ({
    name: `${prefix}-${stage}`,
    comment: `The stages of ${folder} are ${order.join(', ')}: ${stage} imports none of the later ones.`,
    severity: 'error',
    from: { path: `^${folder}/${stage}/` },
    to: { path: `^${folder}/[^/]+/`, pathNot: `^${folder}/${any(order.slice(0, i + 1))}/` },
  }))

const rules = [
  ...arrowRules,
  ...stages('world', 'packages/world/src', [
    'rows',
    'read',
    'gates',
    'views',
    'orientation',
    'extend',
    'moment',
    'operations',
    'verbs',
    'law',
    'seed',
  ]),
  ...stages('roles', 'packages/roles/src', ['shape', 'parse', 'evaluate', 'explain']),
  ...stages('overlay', 'packages/overlay/src', ['shape', 'resolve', 'vault']),
  ...stages('client', 'packages/client/src', [
    'access',
    'beings',
    'roles',
    'addresses',
    'spaces',
    'moments',
    'threads',
    'overlays',
    'inbox',
    'approvals',
    'spending',
    'audit',
    'redteam',
    'summons',
    'seats',
  ]),
  ...stages('local', 'packages/local/src', [
    'machine',
    'instance',
    'postgres',
    'temporal',
    'processes',
    'health',
  ]),
  ...stages('verify', 'packages/verify/src', ['forms', 'due', 'bundle', 'receipt']),
  ...stages('activities', 'packages/activities/src', [
    'guard',
    'outside',
    'model',
    'files',
    'moments',
    'mind',
    'stamp',
    'live',
  ]),
  ...stages('command-line', 'apps/cli/src', [
    'text',
    'login',
    'instance',
    'health',
    'show',
    'served',
    'debug',
    'commands',
  ]),
  ...stages('store', 'packages/store/src', ['sql', 'ledger', 'rows', 'inbox', 'moments', 'access']),
  ...stages('proofs', 'packages/proofs/src', ['tree', 'log', 'verify', 'realities', 'bundles']),
  {
    name: 'no-cycles',
    comment: 'A word that two files share moves to one below both. Types count too.',
    severity: 'error',
    from: {},
    to: { circular: true },
  },
  {
    name: 'packages-are-on-the-map',
    comment: 'A new package first gets its arrows, above.',
    severity: 'error',
    from: { path: '^packages/', pathNot: `^packages/${any(Object.keys(arrows))}/` },
    to: {},
  },
  {
    name: 'only-what-is-declared',
    comment:
      'An import that does not resolve: not in the dependencies of its package.json, or not a door in the exports of the other.',
    severity: 'error',
    from: {},
    // bench/llama is outside of the workspace: its dependencies come with the first run that needs them
    to: { couldNotResolve: true, pathNot: '^(node-llama-cpp|@huggingface/jinja)$' },
  },
  {
    name: 'only-own-dependencies',
    comment:
      'Published code asks for what its own package.json lists under dependencies; what the root happens to have is not there after an install. Types may come from devDependencies.',
    severity: 'error',
    from: { path: '^(packages|extensions|apps|examples/worlds)/[^/]+/src/', pathNot: tests },
    to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'by-name-never-by-path',
    comment: 'Another package is reached by its name and its doors, never by ../../.',
    severity: 'error',
    from: { path: '^((packages|apps|extensions|examples/worlds)/[^/]+|bench|test)/' },
    to: {
      path: '^(packages|apps|extensions|examples/worlds|bench|test)/',
      pathNot: '^$1/',
      dependencyTypes: ['local'],
    },
  },
  {
    name: 'pure-stays-pure',
    comment: 'core, roles and world compute: no node modules, no third parties. Their tests may have both.',
    severity: 'error',
    from: { path: '^packages/(core|roles|world)/src/', pathNot: tests },
    to: { pathNot: '^packages/' },
  },
  {
    name: 'verifier-stands-alone',
    comment:
      'Whoever checks a bundle reads this package and what of ours its arrows allow: it has Node, and nothing of third parties.',
    severity: 'error',
    from: { path: '^packages/verify/src/', pathNot: tests },
    to: { pathNot: '^(packages|apps|extensions|examples)/', dependencyTypesNot: ['core'] },
  },
  {
    name: 'one-way-to-postgres',
    comment:
      'A client of `pg` gives its password to whoever listens at the address. Ours, in packages/postgres, make the server prove itself first.',
    severity: 'error',
    from: {
      path: '^(packages|apps|extensions|examples/worlds)/[^/]+/src/',
      pathNot: `^packages/postgres/|${tests}`,
    },
    to: { path: '(^|/)node_modules/(pg|pg-native|pg-pool)/', dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'signatures-are-pure',
    comment: 'World fills Signatures, so they compute: no node modules. A Standard Schema is a type.',
    severity: 'error',
    from: { path: '^packages/signature/src/', pathNot: tests },
    to: { pathNot: '^packages/', dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'sandbox-through-workflow-doors',
    comment:
      "Workflow code runs in Temporal's sandbox: at run time it imports its own files, other packages' `./workflow` doors and Temporal's two sandbox packages. Anything may be imported as a type.",
    severity: 'error',
    from: { path: '^packages/workflows/src/', pathNot: tests },
    to: {
      pathNot:
        '^packages/workflows/src/|^packages/[^/]+/src/workflow[.]ts$|/node_modules/@temporalio/(workflow|common)/',
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'sandbox-closure-without-node',
    comment:
      "Nothing a `./workflow` door leads to, however far, is a node module or a third party, save Temporal's.",
    severity: 'error',
    from: { path: '^packages/[^/]+/src/workflow[.]ts$' },
    to: { reachable: true, pathNot: '^packages/|/node_modules/@temporalio/' },
  },
  {
    name: 'extensions-see-only-the-sdk',
    comment:
      'An extension is made of its own files and @treeos/sdk, and describes arguments with zod. So is a world.',
    severity: 'error',
    from: { path: '^((extensions|examples/worlds)/[^/]+)/src/', pathNot: tests },
    to: { pathNot: '^$1/|^packages/sdk/src/|/node_modules/zod/' },
  },
  {
    name: 'examples-are-users',
    comment:
      'Whoever copies an example has the published packages alone: it imports what those open under their own names.',
    severity: 'error',
    from: { path: '^examples/[^/]+$' },
    to: { path: ours, pathNot: '^packages/(sdk|client|host)/' },
  },
  {
    name: 'testing-in-tests-alone',
    comment: 'The testing door is for tests and examples, not for code that runs in a worker.',
    severity: 'error',
    from: { pathNot: `${tests}|^test/|^examples/` },
    to: { path: '^packages/sdk/src/testing[.]ts$' },
  },
  {
    name: 'mcp-through-the-client',
    comment:
      'What acts from outside does what people do, through packages/client: it reaches neither the store nor the engine.',
    severity: 'error',
    from: { path: '^apps/mcp/src/', pathNot: tests },
    to: { path: ours, pathNot: '^(apps/mcp|packages/(client|core|world))/' },
  },
  {
    name: 'portal-through-the-client',
    comment:
      'What people see and do goes through packages/client, which asks the gates. The store is for its connection and its listener, egress for the provider of sign-ins, proofs for the log, apps/mcp for its door. Of replay it knows the what-if and the why-not, which need no Temporal, of trials what they take and tell, and of telemetry how an answer is shared.',
    severity: 'error',
    from: { path: '^apps/portal/src/', pathNot: tests },
    to: {
      path: ours,
      pathNot:
        '^(apps/(portal|mcp)|packages/(client|core|egress|protocol|store|proofs))/|^packages/replay/src/(what-if|what-if-rules|why-not)[.]ts$|^packages/trials/src/trial-forms[.]ts$|^packages/telemetry/src/shared-answer[.]ts$',
    },
  },
  {
    name: 'page-apart-from-its-server',
    comment:
      'The page runs in browsers: of its server it knows types only, and nothing of the other packages but how typed JSON is read, which imports nothing.',
    severity: 'error',
    from: { path: '^apps/portal/page/', pathNot: '/language/catalogue\\.test\\.ts$' }, // it reads all files
    to: {
      path: '^(packages|apps/portal/src)/|^(node:|fs|path|crypto)',
      pathNot: '^packages/core/src/typed-json\\.ts$',
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'page-words-below',
    comment:
      'What shows words, what is asked, files and maps stand below the other rooms of the page: several of them use it, and none is imported back.',
    severity: 'error',
    from: { path: '^apps/portal/page/src/(words|asked|sharing|map)/' },
    to: {
      path: '^apps/portal/page/src/[^/]+/',
      pathNot: '^apps/portal/page/src/(api|language|parts|text|words|$1)/',
    },
  },
  {
    name: 'worker-without-proofs',
    comment:
      'A worker makes the record and proves nothing of it: checkpoints are of the sequencer, bundles of the command line.',
    severity: 'error',
    from: { path: '^apps/worker/src/', pathNot: tests },
    to: { path: '^packages/(proofs|verify)/' },
  },
  {
    name: 'apps-are-ends',
    comment:
      'Nothing imports an app, except the command line that starts them, the tests across packages and the benchmarks.',
    severity: 'error',
    from: { path: '^([^/]+/[^/]+)/', pathNot: '^(apps/cli|test|bench)/' },
    to: { path: '^apps/', pathNot: '^$1/' },
  },
]

export default {
  forbidden: rules,
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|fixtures|generated)/|^bench/contestants/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.d.ts'],
      mainFields: ['module', 'main', 'types'],
    },
  },
}
