import { listUnrecordedRestores, REALITY_RESTORED } from '@treeos/store'
import { type OpenReality, readerOf } from './open-reality.ts'
import { appendSystemFacts } from './system-facts.ts'

/** Each try may fail because another writer moved the head. */
const ATTEMPTS_MAX = 10

/**
 * Writes a fact for each restore that has none, so that the record, and whoever verifies it, shows where it
 * began again from a backup. Workers call it at their start.
 */
export async function recordRestores(at: OpenReality): Promise<void> {
  const { reel, kind } = REALITY_RESTORED
  for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts++) {
    const reader = readerOf(at)
    await reader.prefetch([reel]) // what is read after this head has moved it
    const restores = await listUnrecordedRestores(at.db)
    const facts = restores.map((restore) => ({ reel, kind, payload: { ...restore } }))
    if (facts.length === 0 || (await appendSystemFacts(at, facts, reader)) !== null) return
  }
  throw new Error(
    `cannot record a restore: another writer changed ${reel} in each of ${ATTEMPTS_MAX} attempts`,
  )
}
