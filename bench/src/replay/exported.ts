import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportBundle } from '@treeos/proofs'
import type { Reality, StoreDb } from '@treeos/store'
import { verifyBundle } from '@treeos/verify'
import type { Kysely } from 'kysely'
import { round } from '../statistics.ts'

const SAMPLED_MS = 50
/**
 * The benchmark writes its beings itself, by no moment, so the bundle is broken there. All else must be whole.
 */
const UNLIVED = 'no moment wrote it'

/**
 * Writes all of a reality into an audit bundle, and checks it as an auditor does: by the law, from the file
 * alone.
 */
export async function verifyExported(db: Kysely<StoreDb>, reality: Reality) {
  const folder = mkdtempSync(join(tmpdir(), 'treeos-bench-bundle-'))
  try {
    const file = join(folder, 'bundle.jsonl')
    const { counts } = await exportBundle(db, reality, { file, log: null })
    globalThis.gc?.()
    const heapBefore = process.memoryUsage().heapUsed
    let heapMost = heapBefore
    const sampling = setInterval(() => {
      heapMost = Math.max(heapMost, process.memoryUsage().heapUsed)
    }, SAMPLED_MS)
    const began = performance.now()
    const { broken, unproven } = await verifyBundle(createReadStream(file))
    const seconds = (performance.now() - began) / 1000
    clearInterval(sampling)
    const fault = broken.find(({ what }) => !what.startsWith(UNLIVED))
    if (fault !== undefined) throw new Error(`the bundle is broken: ${JSON.stringify(fault)}`)
    const moments = counts.moment ?? 0
    return {
      moments,
      momentsASecond: round(moments / seconds),
      fileMiB: round(statSync(file).size / 2 ** 20),
      heapMiB: round((heapMost - heapBefore) / 2 ** 20),
      unproven,
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
