import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportBundle } from '@treeos/proofs'
import { expect } from 'vitest'
import { SecondVerifier } from '../../proofs/second-opinion.ts'
import { askBoth } from '../../proofs/two-opinions.ts'
import { naiveLog, newLogKey } from '../../support/naive-log.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import type { World } from '../../support/world.ts'

/** Replays each moment from the chain and from Temporal, and lets both offline verifiers read a bundle of all. */
export async function expectAudited(world: World): Promise<void> {
  await expectUnbroken(world)
  await expectReplays(world)
  const folder = mkdtempSync(join(tmpdir(), 'treeos-hand-offs-'))
  const second = new SecondVerifier()
  try {
    const signer = newLogKey(world.reality)
    const log = await naiveLog(world.db, signer)
    const file = join(folder, 'all.jsonl')
    await exportBundle(world.db, world.reality, { log: async () => log, file })
    const bundle = readFileSync(file)
    const both = await askBoth(second, { bundle, key: signer.verifier, why: true })
    expect(both.first.status).toBe('ok')
    expect(both.second).toMatchObject({ status: 'ok', found: both.first.found })
  } finally {
    second.close()
    rmSync(folder, { recursive: true })
  }
}
