import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Client } from '@temporalio/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Archivist, historiesFolder } from './archive.ts'

interface ListedRun {
  readonly runId: string
  readonly closeTime: Date
}

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'treeos-archive-'))
})
afterAll(() => rm(folder, { recursive: true }))

const runs: ListedRun[] = []
/** number of runs that each sweep listed */
const listed: number[] = []
const fetched: string[] = []
const client = {
  workflow: {
    async *list({ query }: { query: string }) {
      const since = /CloseTime >= "(.*)"/.exec(query)?.[1] ?? ''
      const found = runs.filter(({ closeTime }) => closeTime.toISOString() >= since)
      listed.push(found.length)
      for (const run of found) yield { ...run, workflowId: 'being/home/ann' }
    },
    getHandle: (_id: string, runId: string) => ({
      async fetchHistory() {
        fetched.push(runId)
        return { events: [] }
      },
    }),
  },
} as unknown as Client

const closedAt = (runId: string, time: string): void => {
  runs.push({ runId, closeTime: new Date(`2026-01-01T${time}Z`) })
}

it('archives a run that Temporal lists later than one that closed after it', async () => {
  const onError = (_where: string, error: unknown) => {
    throw error
  }
  const archivist = new Archivist({ client, reality: 'home', folder, keepMs: null, onError })
  closedAt('old', '09:00:00.000')
  closedAt('newest', '10:00:00.000')
  expect(await archivist.sweep()).toBe(2)
  closedAt('late', '09:59:00.000')
  expect(await archivist.sweep()).toBe(1)
  const files = await readdir(join(folder, 'ann'))
  expect(files.sort()).toEqual(['late.json.gz', 'newest.json.gz', 'old.json.gz'])

  // The next sweep lists the last minutes only, and fetches nothing again.
  expect(await archivist.sweep()).toBe(0)
  expect(listed).toEqual([2, 2, 2])
  expect(fetched).toEqual(['old', 'newest', 'late'])
})

it.each([
  [0o755, 0o700],
  [0o750, 0o700],
  [0o770, 0o770],
  [0o2777, 0o2770],
])('a folder of the mode %o gets %o: a group that writes there shares it', async (before, after) => {
  const shared = await mkdtemp(join(tmpdir(), 'treeos-archive-'))
  await chmod(shared, before)
  const onError = (_where: string, error: unknown) => {
    throw error
  }
  await new Archivist({ client, reality: 'home', folder: shared, keepMs: null, onError }).sweep()
  expect((await stat(shared)).mode & 0o7777).toBe(after)
  await rm(shared, { recursive: true })
})

it('histories are in the data folder unless TREEOS_HISTORIES names a folder', () => {
  expect(historiesFolder('/i', {})).toBe('/i/histories')
  expect(historiesFolder('/i', { TREEOS_HISTORIES: '/shared' })).toBe('/shared')
})

const NOBODY = 65_534

/** Whether another user of the machine can list the archive. */
async function isOpenToOthers(path: string): Promise<boolean> {
  const read = `process.setgroups([]); process.setgid(${NOBODY}); process.setuid(${NOBODY}); require('node:fs').readdirSync(process.argv[1])`
  return promisify(execFile)(process.execPath, ['-e', read, path]).then(
    () => true,
    () => false,
  )
}

it.runIf(process.getuid?.() === 0)(
  'no other user of the machine reads it, also where its folder was open to everybody',
  async () => {
    const [place, archive] = [await mkdtemp(join(tmpdir(), 'treeos-archive-')), 'histories']
    await chmod(place, 0o711) // as the folder of an instance that runs as root
    const own = join(place, archive)
    await mkdir(own, { mode: 0o755 })
    expect(await isOpenToOthers(own)).toBe(true) // the control
    runs.splice(0)
    closedAt('private', '11:00:00.000')
    const onError = (_where: string, error: unknown) => {
      throw error
    }
    await new Archivist({ client, reality: 'home', folder: own, keepMs: null, onError }).sweep()
    expect(await readdir(join(own, 'ann'))).toEqual(['private.json.gz'])
    expect(await isOpenToOthers(own)).toBe(false)
    expect(await isOpenToOthers(join(own, 'ann'))).toBe(false)
    await rm(place, { recursive: true })
  },
)
