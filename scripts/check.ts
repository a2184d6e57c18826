/**
 * The whole check: `pnpm test`. Every step runs even when an earlier one failed. The last lines name what
 * took longest and what failed, and count what passed, failed and was skipped. Arguments select a part: names
 * of steps, and for the tests also paths or parts of paths.
 *   pnpm test quick · pnpm test lint types · pnpm test services test/scenarios/world/court · pnpm test
 *   packages/roles
 * An argument that names no step and matches no test file is an error. With TREEOS_NIGHTLY=1 the check also
 * fails when anything was repeated.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'

/**
 * `retried` counts attempts of fault attacks beyond the first (test/faults/attempts.ts), and test files that
 * ran twice.
 */
type Tally = { passed: number; failed: number; skipped: number; retried: number }

const root = resolve(import.meta.dirname, '..')
const reports = mkdtempSync(join(tmpdir(), 'treeos-check-'))

/** In this order, the quick ones first, but see IN_PARALLEL. */
const checks: Record<string, string[]> = {
  // without the linter: layout and the order of imports
  format: ['biome', 'check', '--linter-enabled=false', '.'],
  lint: ['biome', 'lint', '--error-on-warnings', '.'],
  // One checker each, since both run at once: several would work out the same types again.
  types: ['tsc', '--checkers', '1'],
  page: ['tsc', '-p', 'apps/portal/page', '--checkers', '1'], // runs in browsers, so it has other types
  imports: ['depcruise', 'packages', 'apps', 'extensions', 'bench', 'examples', 'test'],
  compose: ['dclint', '-c', 'infra/compose/.dclintrc.json', '--max-warnings', '0', 'infra/compose'],
  unused: ['knip', '--no-config-hints'],
  build: ['turbo', 'run', 'compile', '--output-logs=errors-only'],
  // of the build: publint and arethetypeswrong on every tarball
  packages: ['node', 'scripts/check-packages.ts'],
  reference: ['node', 'docs/node_modules/typedoc/bin/typedoc', '--options', 'docs/typedoc.json'],
}
/** These use one processor each, about as long as the others do, so they run beside them. */
const IN_PARALLEL = ['page', 'imports', 'compose', 'unused', 'reference']
const IS_NIGHT = process.env.TREEOS_NIGHTLY === '1'
/** What runs every night and when it is named: it rarely fails, and takes a minute. */
const CHECKS_BY_NIGHT = ['reference']
/**
 * Projects of vitest.config.ts. `unit`, `mocked` and `property` need no services; `property` tries many
 * random inputs. `services` runs on a real Temporal and Postgres. `storm` kills its own services again and
 * again, so it runs alone.
 */
const suites = ['unit', 'mocked', 'property', 'services', ...(IS_NIGHT ? ['storm', 'long'] : [])]
/**
 * Only when they are named, and every night: `long` are tests with services that take about a minute or more
 * each.
 */
const NAMED = IS_NIGHT ? [] : ['storm', 'long']
/** `portal` drives the pages in Debian's Chromium, which not every machine has. */
const hasChromium = existsSync(process.env.TREEOS_CHROMIUM ?? '/usr/bin/chromium')
if (hasChromium) suites.push('portal')
else NAMED.push('portal')
/** Of `portal`, when all is checked by day. When it is named, and at night, all of its files run. */
const PAGES_BY_DAY = ['test/portal/browser/pages.test.ts']
/** What needs no services and little time: `pnpm test quick`. */
const QUICK = ['format', 'lint', 'types', 'page', 'imports', 'unit', 'mocked']
/**
 * Files that fail in a run of all run once more, alone. More of them are no coincidence. Attacks are never
 * run again: chance is their subject.
 */
const REPEATED_MAX = 3
const NEVER_REPEATED = 'test/faults/'
/**
 * How long vitest may take to end after its report. A program that a test left running and that shares its
 * output keeps it from ending.
 */
const END_MS = 120_000
/** Most characters of a line that makes a property fail again. */
const AGAIN_MAX = 600
/** What vitest calls a test that did not run. */
const SKIPPED = ['pending', 'skipped', 'todo', 'disabled']

/** At the end, so that a check which grows shows where. */
const SLOWEST_SHOWN = 12
/** Repeated at the end: the output of thousands of tests hides them. */
const failures: string[] = []
/** Seconds of each step, and of each file of tests with services: what makes the check long. */
const took: string[] = []
const files: Report = []
const running = new Set<ChildProcess>()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    for (const child of running) child.kill(signal)
    rmSync(reports, { recursive: true, force: true })
    process.exit(128 + constants.signals[signal])
  })
}
process.exitCode = await main(process.argv.slice(2).filter((argument) => argument !== '--'))
rmSync(reports, { recursive: true, force: true })

async function main(wanted: string[]): Promise<number> {
  const steps = [...Object.keys(checks), ...suites, ...NAMED]
  const paths = wanted.filter((name) => name !== 'quick' && !steps.includes(name))
  const named = wanted.includes('quick') ? [...wanted, ...QUICK] : wanted
  const isWanted = (name: string) => wanted.length === 0 || named.includes(name)
  let tests = [...suites.filter(isWanted), ...NAMED.filter((name) => wanted.includes(name))]
  if (paths.length > 0) {
    const { matched, unmatched } = await match(paths, tests.length > 0 ? tests : [...suites, ...NAMED])
    if (unmatched.length > 0) {
      console.error(`no step and no test file matches: ${unmatched.join(', ')}`)
      console.error(
        `steps are ${['quick', ...steps].join(', ')}; other arguments are paths of test files, or parts of paths`,
      )
      return 2
    }
    tests = matched
  }
  // The tests wait for it by its lock, and say themselves why it fails.
  const server = wanted.length === 0 ? run(['node', 'scripts/temporal.ts'], 'kept') : null
  const total: Tally = { passed: 0, failed: 0, skipped: 0, retried: 0 }
  const add = (tally: Tally) => {
    total.passed += tally.passed
    total.failed += tally.failed
    total.skipped += tally.skipped
    total.retried += tally.retried
  }
  const isDay = wanted.length === 0 && !IS_NIGHT
  const wantedChecks = Object.keys(checks).filter(
    (name) => isWanted(name) && !(isDay && CHECKS_BY_NIGHT.includes(name)),
  )
  await Promise.all(
    [true, false].map(async (isParallel) => {
      for (const name of wantedChecks)
        if (IN_PARALLEL.includes(name) === isParallel) add(await check(name, checks[name] ?? []))
    }),
  )
  for (const name of tests) add(await test(name, name === 'portal' && isDay ? PAGES_BY_DAY : paths))
  await server
  const { passed, failed, skipped, retried } = total
  if (took.length > 1) console.log(`seconds: ${took.join(', ')}`)
  if (files.length > SLOWEST_SHOWN) console.log(`longest: ${longest(files)}`)
  for (const failure of failures) console.log(`✗ ${failure}`)
  const isRepeatable = !IS_NIGHT
  if (retried > 0)
    console.log(`see ↻ above for what was repeated${isRepeatable ? '' : ', which fails a nightly run'}`)
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped, ${retried} repeated`)
  return failed > 0 || (retried > 0 && !isRepeatable) ? 1 : 0
}

/**
 * Which of these projects have a test file whose path contains one of the paths, and which paths are in none.
 */
async function match(
  paths: string[],
  projects: string[],
): Promise<{ matched: string[]; unmatched: string[] }> {
  const list = join(reports, 'files.json')
  const { ok, output } = await run(['vitest', 'list', '--filesOnly', `--json=${list}`], 'kept')
  if (!ok) throw new Error(`vitest cannot list the test files:\n${output}`)
  const files: { file: string; projectName: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  const filesOf = (path: string) =>
    files.filter(
      ({ file, projectName }) =>
        projects.includes(projectName) && (file.includes(path) || file.includes(resolve(root, path))),
    )
  const found = new Set(paths.flatMap(filesOf).map(({ projectName }) => projectName))
  return {
    matched: projects.filter((project) => found.has(project)),
    unmatched: paths.filter((path) => filesOf(path).length === 0),
  }
}

/** Runs one step. Its output is shown only when it fails. */
async function check(name: string, command: string[]): Promise<Tally> {
  const { ok, output, seconds } = await run(command, 'kept')
  console.log(`${ok ? '✓' : '✗'} ${name} (${seconds} s)`)
  took.push(`${name} ${seconds}`)
  if (!ok) {
    console.log(`$ ${command.join(' ')}\n${output.trimEnd()}\n`)
    failures.push(`${name}: see its output above`)
  }
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0, retried: 0 }
}

/** Counts tests. A file that cannot be loaded, or an error outside any test, counts as one failed test. */
async function test(project: string, paths: string[]): Promise<Tally> {
  const first = await runTests(project, paths)
  const tally: Tally = { passed: 0, failed: 0, skipped: 0, retried: 0 }
  for (const one of await repeatFew(project, paths, first.report)) {
    const { name, status, assertionResults } = one
    const count = (wanted: string[]) => assertionResults.filter((test) => wanted.includes(test.status)).length
    const failed = count(['failed'])
    tally.passed += count(['passed'])
    tally.failed += status === 'failed' && failed === 0 ? 1 : failed
    tally.skipped += count(SKIPPED)
    if (status === 'failed' || failed > 0) failures.push(...failuresOf(relative(root, name), one))
    for (const { status, title, meta } of assertionResults) {
      if (SKIPPED.includes(status)) console.log(`- skipped: ${title}`)
      for (const reason of meta?.retried ?? []) console.log(`↻ ${title}: repeated, since ${reason}`)
      tally.retried += meta?.retried?.length ?? 0
    }
  }
  if (first.isStuck) {
    tally.failed += 1
    failures.push(`${project}: vitest did not end`)
  }
  // An error outside all files, or no report.
  if (!first.ok && tally.failed === 0 && !first.report.some(hasFailed)) {
    tally.failed = 1
    failures.push(`${project}: an error outside all files, or no report; see its output above`)
  }
  console.log(`${tally.failed === 0 ? '✓' : '✗'} ${project} tests (${first.seconds} s)`)
  took.push(`${project} ${first.seconds}`)
  files.push(...first.report)
  return tally
}

/** What failed in a file, a line each, with the first line of its message. */
function failuresOf(file: string, { message, assertionResults }: Report[number]): string[] {
  const failed = assertionResults.filter((test) => test.status === 'failed')
  if (failed.length === 0) return [`${file}: ${firstLine(message)}`]
  return failed.map((test) => `${file} > ${test.fullName}: ${firstLine(test.failureMessages?.[0])}`)
}

/** Of a property that failed also the lines that make it fail again: its seed, and what it was tried with. */
function firstLine(message: string | undefined): string {
  const [first, ...others] = message?.trim().split('\n') ?? []
  const again = others.filter((line) => /^(\{ seed: |Counterexample: |Caused by: |Got )/.test(line))
  return [first || 'the file could not be loaded', ...again.map((line) => line.slice(0, AGAIN_MAX))].join(' ')
}

function longest(report: Report): string {
  const seconds = (file: Report[number]) => (file.endTime - file.startTime) / 1000
  return [...report]
    .sort((a, b) => seconds(b) - seconds(a))
    .slice(0, SLOWEST_SHOWN)
    .map((file) => `${relative(root, file.name)} ${seconds(file).toFixed(0)} s`)
    .join(', ')
}

async function runTests(project: string, paths: string[]) {
  const file = join(reports, `${project}.json`)
  rmSync(file, { force: true })
  const command = ['vitest', 'run', '--project', project, '--passWithNoTests', ...paths]
  let isStuck = false
  const watch = setInterval(() => {
    if (isStuck || !existsSync(file) || Date.now() - statSync(file).mtimeMs < END_MS) return
    isStuck = true
    console.log(`✗ vitest is killed: ${END_MS / 1000} s after its last test it has not ended`)
    for (const child of running) child.kill('SIGKILL')
  }, 1_000)
  const { ok, seconds } = await run(
    [...command, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
    'shown',
  )
  clearInterval(watch)
  return { ok, seconds, report: readReport(file), isStuck }
}

/**
 * A machine that others use too can be too slow for one test of thousands. Such a file runs again alone, and
 * the output says what failed at first: that is to be mended all the same.
 */
async function repeatFew(project: string, paths: string[], report: Report): Promise<Report> {
  const failed = report.filter(hasFailed)
  const mayPass = failed.every(({ name }) => !name.includes(NEVER_REPEATED))
  if (project !== 'services' || paths.length > 0 || failed.length > REPEATED_MAX || !mayPass) return report
  const again = new Map<string, Report[number]>()
  for (const { name, assertionResults } of failed) {
    const { report, isStuck } = await runTests(project, [name])
    const [second] = report
    if (second === undefined || isStuck || hasFailed(second)) continue
    const titles = assertionResults.filter(({ status }) => status === 'failed').map(({ title }) => title)
    const reason = `it failed in the run of all: ${titles.join('; ') || 'the file could not be loaded'}`
    const [test, ...others] = second.assertionResults
    if (test === undefined) continue
    const marked = { ...test, title: relative(root, name), meta: { retried: [reason] } }
    again.set(name, { ...second, assertionResults: [marked, ...others] })
  }
  return report.map((one) => again.get(one.name) ?? one)
}

function hasFailed({ status, assertionResults }: Report[number]): boolean {
  return status === 'failed' || assertionResults.some((test) => test.status === 'failed')
}

type Result = {
  status: string
  title: string
  fullName: string
  failureMessages?: string[]
  meta?: { retried?: string[] }
}
/** Times are in milliseconds. */
type Report = {
  name: string
  status: string
  message?: string
  startTime: number
  endTime: number
  assertionResults: Result[]
}[]

/** Empty when vitest wrote no report: its exit status then counts as a failure. */
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
      // each test file starts a process of its own
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'),
      ...(output === 'kept' && process.stdout.isTTY && { FORCE_COLOR: '1' }),
    },
  })
  running.add(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk) => (text += chunk))
  return new Promise<{ ok: boolean; output: string; seconds: string }>((done) => {
    const end = (ok: boolean) => {
      running.delete(child)
      done({ ok, output: text, seconds: ((performance.now() - startedAt) / 1000).toFixed(1) })
    }
    child.on('error', (error) => {
      text += error.message
      end(false)
    })
    child.on('close', (code) => end(code === 0))
  })
}
