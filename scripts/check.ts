/**
 * The whole check: `pnpm test`. Every step runs even when an earlier one failed, and the last line counts them all.
 * With arguments it is a part of it: names of steps, and for the tests paths or parts of paths.
 *   pnpm test lint types · pnpm test unit · pnpm test services test/scenarios/court · pnpm test packages/roles
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

type Tally = { passed: number; failed: number; skipped: number }

const root = resolve(import.meta.dirname, '..')
const reports = mkdtempSync(join(tmpdir(), 'treeos-check-'))

/** In order, the quick ones first. */
const checks: Record<string, string[]> = {
  format: ['biome', 'check', '--linter-enabled=false', '.'], // with the linter off: layout and the order of imports
  lint: ['biome', 'lint', '--error-on-warnings', '.'],
  types: ['tsc'],
  imports: ['depcruise', 'packages', 'apps', 'extensions', 'bench', 'test'],
  compose: ['dclint', '-c', 'infra/compose/.dclintrc.json', '--max-warnings', '0', 'infra/compose'],
  build: ['turbo', 'run', 'build', '--output-logs=errors-only', '--continue'],
}
/**
 * Projects of vitest.config.ts: `unit` needs nothing, `services` runs on a real Temporal and Postgres, and `storm` kills such
 * again and again, so it runs alone.
 */
const suites = ['unit', 'services', 'storm']

let running: ChildProcess | undefined
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    running?.kill(signal)
    rmSync(reports, { recursive: true, force: true })
    process.exit(128 + constants.signals[signal])
  })
}
process.exitCode = await main(process.argv.slice(2).filter((argument) => argument !== '--'))
rmSync(reports, { recursive: true, force: true })

async function main(wanted: string[]): Promise<number> {
  const paths = wanted.filter((name) => !(name in checks) && !suites.includes(name))
  const named = wanted.filter((name) => !paths.includes(name))
  const isWanted = (name: string) =>
    named.includes(name) || (named.length === 0 && (paths.length === 0 || suites.includes(name)))
  const total: Tally = { passed: 0, failed: 0, skipped: 0 }
  const add = (tally: Tally) => {
    total.passed += tally.passed
    total.failed += tally.failed
    total.skipped += tally.skipped
  }
  for (const name of Object.keys(checks).filter(isWanted)) add(await check(name, checks[name] ?? []))
  for (const name of suites.filter(isWanted)) add(await test(name, paths))
  const { passed, failed, skipped } = total
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  return failed > 0 ? 1 : 0
}

/** Runs quietly; what it had to say is shown when it failed. */
async function check(name: string, command: string[]): Promise<Tally> {
  const { ok, output, seconds } = await run(command, 'kept')
  console.log(`${ok ? '✓' : '✗'} ${name} (${seconds} s)`)
  if (!ok) console.log(`$ ${command.join(' ')}\n${output.trimEnd()}\n`)
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 }
}

/** Counts tests. A file that cannot be loaded, or an error outside any test, counts as one failed test. */
async function test(project: string, paths: string[]): Promise<Tally> {
  const file = join(reports, `${project}.json`)
  const command = ['vitest', 'run', '--project', project, '--passWithNoTests', ...paths]
  const { ok, seconds } = await run(
    [...command, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
    'shown',
  )
  const tally: Tally = { passed: 0, failed: 0, skipped: 0 }
  for (const { status, assertionResults } of readReport(file)) {
    const count = (wanted: string[]) => assertionResults.filter((test) => wanted.includes(test.status)).length
    const failed = count(['failed'])
    tally.passed += count(['passed'])
    tally.failed += status === 'failed' && failed === 0 ? 1 : failed
    tally.skipped += count(['pending', 'skipped', 'todo', 'disabled'])
  }
  if (!ok && tally.failed === 0) tally.failed = 1
  console.log(`${tally.failed === 0 ? '✓' : '✗'} ${project} tests (${seconds} s)`)
  return tally
}

type Report = { status: string; assertionResults: { status: string }[] }[]

/** Empty when vitest came to no report: its exit status has then told the failure. */
function readReport(file: string): Report {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).testResults
  } catch {
    return []
  }
}

function run([program = '', ...args]: string[], output: 'kept' | 'shown') {
  const startedAt = performance.now()
  const child = spawn(join(root, 'node_modules/.bin', program), args, {
    cwd: root,
    stdio: ['ignore', output === 'kept' ? 'pipe' : 'inherit', output === 'kept' ? 'pipe' : 'inherit'],
    env: {
      ...process.env,
      TURBO_TELEMETRY_DISABLED: '1',
      ...(output === 'kept' && process.stdout.isTTY && { FORCE_COLOR: '1' }),
    },
  })
  running = child
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk) => (text += chunk))
  return new Promise<{ ok: boolean; output: string; seconds: string }>((done) => {
    const end = (ok: boolean) =>
      done({ ok, output: text, seconds: ((performance.now() - startedAt) / 1000).toFixed(1) })
    child.on('error', (error) => {
      text += error.message
      end(false)
    })
    child.on('close', (code) => end(code === 0))
  })
}
