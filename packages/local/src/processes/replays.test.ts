import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { processStart } from '../machine/process.ts'
import { replayHours, replayWhenDue } from './replays.ts'
import type { Programs } from './servers.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'treeos-replays-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/**
 * Runs the replay process with a stand-in for `treeos`, and stops it once the stand-in has written this many
 * lines.
 */
async function linesOf(script: string, count: number, env: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const treeos = join(folder, 'treeos.mjs')
  const said = join(folder, 'said')
  writeFileSync(said, '')
  writeFileSync(
    treeos,
    `import { appendFileSync } from 'node:fs'\nconst said = ${JSON.stringify(said)}\n${script}`,
  )
  const stopping = new AbortController()
  const options = { dataDir: folder, env, programs: { treeos } as Programs, onProgress: () => undefined }
  const done = replayWhenDue(options, stopping.signal, { firstMs: 1, againMs: 1 })
  const lines = () => readFileSync(said, 'utf8').split('\n').slice(0, -1)
  for (const until = Date.now() + 20_000; Date.now() < until && lines().length < count; ) await sleep(20)
  stopping.abort()
  await done
  return lines()
}

it('asks again and again for a replay of all moments that is due, as a process of its own', async () => {
  const script = `appendFileSync(said, process.argv.slice(2).join(' ') + '\\n')`
  const [first, second] = await linesOf(script, 2)
  expect(first).toBe(`replay --all --if-due --json --data ${folder}`)
  expect(second).toBe(first)
})

it('ends a replay under way when it is asked to stop', async () => {
  const script = `appendFileSync(said, process.pid + '\\n'); setInterval(() => undefined, 1000)`
  const [pid] = await linesOf(script, 1)
  expect(processStart(Number(pid))).toBeNull()
})

it('asks for none where TREEOS_REPLAY_HOURS is 0', async () => {
  const script = `appendFileSync(said, 'asked\\n')`
  const options = { dataDir: folder, programs: { treeos: script } as Programs, onProgress: () => undefined }
  await replayWhenDue({ ...options, env: { TREEOS_REPLAY_HOURS: '0' } }, new AbortController().signal, {
    firstMs: 1,
    againMs: 1,
  })
})

it.each([
  ['', 24],
  ['12', 12],
  ['0.5', 0.5],
  ['0', 0],
])('TREEOS_REPLAY_HOURS of %j means %d hours', (text, hours) => {
  expect(replayHours({ TREEOS_REPLAY_HOURS: text })).toBe(hours)
})

it.each(['daily', '-1', 'Infinity'])('TREEOS_REPLAY_HOURS of %j is refused', (text) => {
  expect(() => replayHours({ TREEOS_REPLAY_HOURS: text })).toThrow('TREEOS_REPLAY_HOURS')
})
