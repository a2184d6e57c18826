/**
 * The fault runs at their full size: `pnpm faults [NAME…] [--seed N] [--test] [--no-control] [--json]`.
 * Each attacks a reality and judges the result. Its control does the same without one defence and must fail.
 */
import { parseArgs } from 'node:util'
import { DefaultLogger, Runtime } from '@temporalio/worker'
import { startGround } from './ground.ts'
import { newSeed } from './random.ts'
import { type Ran, run, signsOf } from './scenario.ts'
import { scenarios } from './scenarios/index.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    full: { type: 'boolean', default: true },
    test: { type: 'boolean', default: false },
    control: { type: 'boolean', default: true },
    json: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
  allowNegative: true,
})
Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] })
const unknown = positionals.filter((name) => !scenarios.some((scenario) => scenario.name === name))
if (unknown.length > 0 || values.list) {
  for (const { name, about } of scenarios) console.error(`${name.padEnd(16)} ${about}`)
  if (unknown.length > 0) console.error(`\nthere is no fault run named ${unknown.join(', ')}`)
  process.exit(values.list ? 0 : 2)
}
const seed = values.seed === undefined ? newSeed() : Number(values.seed)
const size = values.test || !values.full ? 'test' : 'full'
const startedAt = Date.now()
const say = (line: string) =>
  console.error(`[${String(Math.round((Date.now() - startedAt) / 1000)).padStart(5)} s] ${line}`)

say(`seed ${seed}: \`pnpm faults --seed ${seed}\` makes the same choices again`)
const ground = await startGround(say)
const results: { name: string; ok: boolean; run: Ran; control: Ran | null }[] = []
try {
  for (const scenario of scenarios) {
    if (positionals.length > 0 && !positionals.includes(scenario.name)) continue
    const { name, about } = scenario
    const tell = (line: string) => say(`${name}: ${line}`)
    tell(about)
    const ran = await run(scenario, { ground, seed, size, say: tell })
    for (const fault of ran.broken) tell(`✗ ${fault}`)
    tell(`${ran.broken.length === 0 ? '✓' : '✗'} ${ran.seconds} s ${JSON.stringify(ran.figures)}`)
    const control = values.control ? await run(scenario, { ground, seed, size: 'control', say: tell }) : null
    const shown = signsOf(scenario).map((sign) => control?.broken.find((fault) => sign.test(fault)))
    const isRed = control === null || !shown.includes(undefined)
    if (control !== null)
      tell(
        isRed
          ? `✓ without ${scenario.control.without} it fails, as it must: ${shown.map((fault) => fault?.split('\n')[0]).join('; ')}`
          : `✗ without ${scenario.control.without} it should fail, but found: ${control.broken.join('; ') || 'nothing'}`,
      )
    results.push({ name, ok: ran.broken.length === 0 && isRed, run: ran, control })
  }
} finally {
  await ground.close()
}
const failed = results.filter(({ ok }) => !ok).length
if (values.json) console.log(JSON.stringify({ seed, size, ok: failed === 0, results }))
else {
  for (const { name, ok, run: ran } of results)
    console.log(`${ok ? '✓' : '✗'} ${name.padEnd(16)} ${ran.seconds} s  ${JSON.stringify(ran.figures)}`)
  console.log(`${results.length - failed} passed, ${failed} failed, seed ${seed}`)
}
// A trial that stalled may still hold connections, so the process is ended, not left to end.
process.exit(failed === 0 ? 0 : 1)
