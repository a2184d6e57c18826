import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@temporalio/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Archivist } from './archive.ts'

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
