import { isOpenTemporal } from '@treeos/host'
import {
  bad,
  checkMachine,
  type DoctorCheck,
  good,
  hasTemporal,
  locateTemporal,
  RECHECK,
  readAccess,
  unseen,
} from '@treeos/local'
import manifest from '../../package.json' with { type: 'json' }
import { spelled, spelledAll } from '../text/program-name.ts'
import { examineCheckpoints } from './checkpoints.ts'
import { examineLife } from './life-signs.ts'
import { examineMigrations } from './migrations.ts'
import { callMinds, examineMinds } from './minds.ts'
import { examineObservers } from './observers.ts'
import { examineReplays } from './replays.ts'
import { examineTaskQueue } from './task-queue.ts'
import { examineVersions } from './versions.ts'
import { examineWitnesses } from './witnesses.ts'

const NODE_MAJOR_MIN = Number(/\d+/.exec(manifest.engines.node)?.[0])

export interface DoctorReport {
  readonly ok: boolean
  readonly checks: readonly DoctorCheck[]
}

/** Checks what a start needs, and the health of what runs. Changes nothing. */
export async function examine(dataDir: string, env: NodeJS.ProcessEnv = process.env): Promise<DoctorReport> {
  const checks: DoctorCheck[] = [
    ...(await checkMachine(dataDir, env, NODE_MAJOR_MIN)),
    ...(await checkGuard(dataDir, env)),
    ...(await examineMigrations(dataDir, env)),
    ...(await callMinds(await examineMinds(dataDir, env), dataDir, env)),
    ...(await examineLife(dataDir, env)),
    ...(await examineObservers(dataDir, env)),
    ...(await examineCheckpoints(dataDir, env)),
    ...examineWitnesses(dataDir),
    ...(await examineReplays(dataDir, env)),
    ...(await examineTaskQueue(dataDir, env)),
    ...(await examineVersions(dataDir, env)),
  ]
  const ok = checks.every((check) => check.ok || check.optional === true)
  return {
    ok,
    checks: checks.map(({ found, mend, ...check }) => ({
      ...check,
      found: spelled(found),
      mend: mend === null ? null : spelledAll(mend),
    })),
  }
}

/** @returns no check where no Temporal was started or named */
async function checkGuard(dataDir: string, env: NodeJS.ProcessEnv): Promise<DoctorCheck[]> {
  const name = 'temporal guard'
  if (!hasTemporal(dataDir, env)) return []
  try {
    const place = locateTemporal(dataDir, env)
    const { options, namespace } = await readAccess(place.env)
    if (!(await isOpenTemporal(options, namespace)))
      return [{ name, ...good('Temporal refuses callers without a credential') }]
    const found = `Temporal at ${options.address ?? 'localhost:7233'} asks its callers for no credential: who reaches it can act as anyone here`
    const mend =
      place.kind === 'environment'
        ? 'turn on its authorizer or mutual TLS, and set TEMPORAL_API_KEY, or TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH'
        : 'start a new instance with TREEOS_OWN_TEMPORAL=1: TreeOS then builds a server that asks for a key, with Go 1.26'
    return [{ name, ...bad(found, mend), optional: true }]
  } catch (error) {
    return [unseen(name, error, RECHECK)]
  }
}
