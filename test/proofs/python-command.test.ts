/**
 * The second verifier as it is installed: by `pip install` without a network, and with the answers and exit
 * codes of the first.
 */
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { verifyBytes } from './bundle-lines.ts'
import { bundleOf } from './generated-reality.ts'
import { livedReality } from './law-compared.ts'
import { whyNoPython } from './second-opinion.ts'

const run = promisify(execFile)
const SOURCES = join(import.meta.dirname, '../../clients/python-verify')
const hasPip = whyNoPython() === null && spawnSync('python3', ['-m', 'pip', '--version']).status === 0
const installed = it.skipIf(!hasPip)
const folder = mkdtempSync(join(tmpdir(), 'treeos-python-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const [site, file, changed] = ['site', 'all.jsonl', 'changed.jsonl'].map((name) => join(folder, name)) as [
  string,
  string,
  string,
]

beforeAll(async () => {
  if (!hasPip) return
  const copy = join(folder, 'sources') // pip leaves files behind
  cpSync(SOURCES, copy, { recursive: true })
  await run('python3', ['-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps', '--target', site, copy])
  writeFileSync(file, bundleOf((await livedReality([], 'installed')).lines()))
  writeFileSync(changed, readFileSync(file, 'utf8').replace('a book', 'a look'))
})

/** As a command of the machine, in another folder. */
async function verified(...asked: string[]): Promise<{ readonly code: number; readonly out: string }> {
  const env = { ...process.env, PYTHONPATH: site }
  return run('python3', ['-m', 'treeos_verify', ...asked], { cwd: folder, env }).then(
    ({ stdout }) => ({ code: 0, out: stdout }),
    ({ code, stdout }) => ({ code, out: stdout }),
  )
}

installed('is installed without a network and prints what the first verifier prints, as JSON', async () => {
  const first = await verifyBytes(readFileSync(file), null)
  const { code, out } = await verified(file, '--json')
  const second = JSON.parse(out)
  expect(code).toBe(3)
  expect(Object.keys(second).sort()).toEqual(Object.keys(first).sort())
  const { reels, facts, moments, scope, status, ok, broken, checkpoint, covered, erased } = first
  expect(second).toMatchObject({
    reels,
    facts,
    moments,
    scope,
    status,
    ok,
    broken,
    checkpoint,
    covered,
    erased,
  })
  expect(second.unproven[0]).toBe(first.unproven[0])
})

installed('names the line of what was changed, and says so by its exit code', async () => {
  const { code, out } = await verified('--bundle', changed)
  const [{ line } = { line: 0 }] = (await verifyBytes(readFileSync(changed), null)).broken
  expect(code).toBe(1)
  expect(out).toContain(`line ${line}: `)
})

installed('refuses wrong usage', async () => {
  for (const asked of [[], [file, '--receipt', file], [file, '--key', 'nothing'], [join(folder, 'none')]])
    expect((await verified(...asked)).code).toBe(2)
})
