/**
 * The fault runs at their full size: `pnpm faults [NAME…] [--seed N] [--minutes N] [--test] [--no-control]
 * [--json]`. Each attacks a reality and judges the result. Its control does the same without one defence and
 * must fail.
 */
import { parseArgs } from 'node:util'
import { DefaultLogger, Runtime } from '@temporalio/worker'
import { canJump } from './clocks.ts'
import { canMount } from './disks.ts'
import { type Ground, startGround } from './ground.ts'
import { newSeed } from './random.ts'
import { type Ran, type RunOptions, run, sabotageOf, signsOf } from './scenario.ts'
import { type AnyScenario, scenarios } from './scenarios/index.ts'

const OPTIONS = {
  seed: { type: 'string' },
  full: { type: 'boolean', default: true },
  test: { type: 'boolean', default: false },
  control: { type: 'boolean', default: true },
  json: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  minutes: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

const { values, positionals } = readArguments()
if (values.list || values.help) {
  for (const { name, about } of scenarios) console.log(`${name.padEnd(16)} ${about}`)
  if (values.help)
    console.log(
      '\npnpm faults [NAME…] [--seed N] [--minutes N] [--test] [--no-control] [--json] runs these; without a name all that do not need one\n' +
        '--test takes the small size of the tests; --no-control leaves out the runs without a defence, which must fail',
    )
  process.exit(0)
}
const unknown = positionals.filter((name) => !scenarios.some((scenario) => scenario.name === name))
if (unknown.length > 0) refuse(`there is no fault run named ${unknown.join(', ')}; --list shows them`)
for (const name of ['seed', 'minutes'] as const)
  if (values[name] !== undefined && !(Number(values[name]) >= 0))
    refuse(`--${name} takes a number, not ${values[name]}`)
Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] })
const seed = values.seed === undefined ? newSeed() : Number(values.seed)
const minutes = values.minutes === undefined ? undefined : Number(values.minutes)
const size = values.test || !values.full ? 'test' : 'full'
const startedAt = Date.now()
const say = (line: string) =>
  console.error(`[${String(Math.round((Date.now() - startedAt) / 1000)).padStart(5)} s] ${line}`)

say(`seed ${seed}: \`pnpm faults --seed ${seed}\` makes the same choices again`)
const wanted = scenarios.filter(({ name, onlyNamed }) =>
  positionals.length > 0 ? positionals.includes(name) : onlyNamed !== true,
)
const lacks = {
  disks: canMount() ? null : 'only root can mount the small disks that it fills',
  clocks: canJump() ? null : 'it needs libfaketime, a package of Debian',
}
const skipped = wanted.filter(({ special }) => special !== undefined && lacks[special] !== null)
for (const { name, special } of skipped) say(`- skipped: ${name}: ${special && lacks[special]}`)
const results: { name: string; ok: boolean; run: Ran; control: Ran | null }[] = []
let ground: Ground | null = null
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    say('stopping the servers')
    void Promise.resolve(ground?.close()).finally(() => process.exit(130))
  })
for (const special of [undefined, 'disks', 'clocks'] as const) {
  const here = wanted.filter((one) => !skipped.includes(one) && one.special === special)
  if (here.length === 0) continue
  ground = await startGround(say, { special })
  try {
    for (const scenario of here) results.push(await testAttacks(scenario, ground))
  } finally {
    await ground.close()
  }
}
const failed = results.filter(({ ok }) => !ok).length
if (values.json) console.log(JSON.stringify({ seed, size, ok: failed === 0, results }))
else {
  for (const { name, ok, run: ran } of results)
    console.log(`${ok ? '✓' : '✗'} ${name.padEnd(16)} ${ran.seconds} s  ${JSON.stringify(ran.figures)}`)
  console.log(`${results.length - failed} passed, ${failed} failed, ${skipped.length} skipped, seed ${seed}`)
}
// An experiment that stalled may still hold connections, so the process is ended, not left to end.
process.exit(failed === 0 ? 0 : 1)

/** Runs a scenario once, and its control. Nothing is tried again. */
async function testAttacks(scenario: AnyScenario, ground: Ground) {
  const { name, about } = scenario
  const tell = (line: string) => say(`${name}: ${line}`)
  tell(about)
  const ran = await runOnce(scenario, { ground, seed, size, say: tell, minutes })
  for (const fault of ran.broken) tell(`✗ ${fault}`)
  tell(`${ran.broken.length === 0 ? '✓' : '✗'} ${ran.seconds} s ${JSON.stringify(ran.figures)}`)
  const control = values.control
    ? await runOnce(scenario, { ground, seed, size: 'control', say: tell })
    : null
  const shown = signsOf(scenario).map((sign) => control?.broken.find((fault) => sign.test(fault)))
  const isRed = control === null || !shown.includes(undefined)
  if (control !== null)
    tell(
      isRed
        ? `✓ ${sabotageOf(scenario)} it fails, as it must: ${shown.map((fault) => fault?.split('\n')[0]).join('; ')}`
        : `✗ ${sabotageOf(scenario)} it should fail, but found: ${control.broken.join('; ') || 'nothing'}`,
    )
  return { name, ok: ran.broken.length === 0 && isRed, run: ran, control }
}

/** A run that could not be set up has failed; the others still run. */
async function runOnce(scenario: AnyScenario, options: RunOptions): Promise<Ran> {
  try {
    return await run(scenario, options)
  } catch (error) {
    const why = error instanceof Error ? error.stack : String(error)
    return { seed, seconds: 0, figures: {}, broken: [`it did not run to its end: ${why}`], stalled: false }
  }
}

function readArguments() {
  try {
    return parseArgs({ allowPositionals: true, options: OPTIONS, allowNegative: true })
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

function refuse(why: string): never {
  console.error(why)
  process.exit(2)
}
