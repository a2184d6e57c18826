import { trialCallsIn } from '@treeos/client'
import { asJson, type JsonObject, type MomentId, type TreeosError } from '@treeos/core'
import { historiesFolder, listFailingRuns, readCurrency } from '@treeos/host'
import {
  checkpointsFolder,
  hasWorker,
  isAlive,
  RECHECK,
  readInstance,
  UP,
  unseen,
  withSettings,
} from '@treeos/local'
import type { Machine, MachineHealth, SignedCheckpointNote } from '@treeos/portal'
import { type Envelope, findNewest, issueReceipts, logOrigin, readKeys } from '@treeos/proofs'
import type { RealityMetrics } from '@treeos/telemetry'
import type { LiveConnection } from '../instance/connection.ts'
import { newestCosigned } from '../instance/signed-checkpoints.ts'
import { loadReplay } from '../instance/stored-replays.ts'
import { examineLife } from './life-signs.ts'
import { examineMinds } from './minds.ts'
import { readStatus } from './status.ts'
import { checkPollers } from './task-queue.ts'

/** Says how workers log in to Postgres, which the portal does not know: it has a login of its own. */
const OF_WORKERS = 'login'
const CHECKPOINT_MS = 1000

/** What the portal of an instance asks of this machine. @param at with the portal's own rights */
export const machineOf = (
  dataDir: string,
  { postgresUrl, ...at }: LiveConnection & { readonly postgresUrl: string },
): Machine => ({
  async replay(request) {
    const { replay } = await loadReplay()
    return replay(at, {
      ...request,
      from: 'both',
      archive: historiesFolder(dataDir, withSettings(dataDir, process.env)),
    })
  },
  health: () => healthOf(dataDir, { ...process.env, DATABASE_URL: postgresUrl }, at),
  checkpoint: readSeldom(() => newestCheckpoint(dataDir, logOrigin(at.reality.id))),
  cosigned: readSeldom(() => newestCosigned(dataDir, logOrigin(at.reality.id))),
  receipts: (moments) => receiptsOf(dataDir, at, moments),
  trials: trialsOf(dataDir, at),
  currency: () => currencyOf(dataDir),
  metrics: metricsOf(at),
  tools: toolsOf(dataDir),
  extensions: async () => {
    const { listExtensions } = await import('../instance/extension-lists.ts')
    return (await listExtensions({ data: dataDir })).map((extension) => asJson(extension) as JsonObject)
  },
})

/** The list is a file of the workers, which may not be on the machine of the portal. */
function currencyOf(dataDir: string): string | null {
  try {
    return readCurrency(withSettings(dataDir, process.env).TREEOS_PRICES)
  } catch {
    return null
  }
}

/** Models and their keys are read for each trial, and kept by none. */
function trialsOf(dataDir: string, { db, registry }: LiveConnection): Machine['trials'] {
  const found = async () => (await import('../instance/models.ts')).modelsOf({ data: dataDir })
  return {
    callsPerHour: trialCallsIn(process.env.TREEOS_TRIAL_CALLS_PER_HOUR),
    async models() {
      const { model, connections } = await found()
      return [...(model === null ? [] : ['default']), ...[...connections.keys()].sort()]
    },
    async prepare(trial) {
      const { prepareTrial } = await import('@treeos/trials')
      return prepareTrial({ db, registry }, { trial, models: await found() })
    },
  }
}

/** As the command line names and accepts them here; who asks the portal accepts as itself. */
function toolsOf(data: string): Machine['tools'] {
  const loaded = () => import('../instance/tools.ts')
  const untold = () => undefined
  return {
    list: async () => (await loaded()).listServers({ data }),
    check: async (server) => (await loaded()).checkServers({ data }, server ?? undefined),
    add: async (server, given, record) => (await loaded()).addServer({ data }, server, given, untold, record),
    accept: async (named, record) => (await loaded()).acceptServer({ data }, named, untold, record),
    remove: async (server, record) => (await loaded()).removeServer({ data }, server, untold, record),
  }
}

/** Counts begin when somebody first asks. */
function metricsOf({ db, temporal, reality }: LiveConnection): Machine['metrics'] {
  let made: Promise<RealityMetrics> | null = null
  const countFailing = async () => (await listFailingRuns(temporal, reality.name))?.length ?? null
  return async () => {
    made ??= import('@treeos/telemetry').then((telemetry) => new telemetry.RealityMetrics(db, countFailing))
    return (await made).scrape()
  }
}

/** Witnesses are not waited for: a caller that wants their signatures asks again. */
const RECEIPT_WAIT_SECONDS = 5

/** Receipts that rest on one checkpoint, which covers the record of now where one comes in time. */
async function receiptsOf(
  dataDir: string,
  at: LiveConnection,
  moments: readonly MomentId[],
): Promise<(Envelope | TreeosError)[]> {
  const { newestLog } = await import('../instance/log-cover.ts')
  const { receiptSigner } = await import('../instance/signed-checkpoints.ts')
  const options = { data: dataDir }
  const covering = { seconds: RECEIPT_WAIT_SECONDS, onProgress: () => undefined }
  const issuing = {
    signer: receiptSigner(options, at.reality),
    log: await newestLog(options, at, covering),
  }
  return issueReceipts(at, moments, issuing)
}

function newestCheckpoint(dataDir: string, origin: string): SignedCheckpointNote | null {
  const folder = checkpointsFolder(dataDir)
  return findNewest(folder, origin, readKeys(folder))
}

/** Reads the folder of checkpoints once a second at most: whoever asks the portal needs no sign-in. */
function readSeldom(read: () => SignedCheckpointNote | null): Machine['checkpoint'] {
  let known: SignedCheckpointNote | null = null
  let readAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - readAt < CHECKPOINT_MS) return known
    known = read()
    readAt = performance.now()
    return known
  }
}

/** @param env names the portal's login, so that no file with the password of the owner is read */
async function healthOf(dataDir: string, env: NodeJS.ProcessEnv, at: LiveConnection): Promise<MachineHealth> {
  const [status, life, minds, pollers] = await Promise.all([
    readStatus(dataDir, env),
    examineLife(dataDir, env),
    // without a worker this process would be asked, which has no keys
    hasWorker(dataDir) ? examineMinds(dataDir, env) : [],
    checkPollers(at).catch((error: unknown) => [unseen('task queue', error, RECHECK)]),
  ])
  const { mind, connections, moments, models, slowestBeat } = status
  return {
    services: readInstance(dataDir)
      .services.filter(({ name }) => name !== UP)
      .map((service) => ({
        name: service.name,
        pid: service.process?.pid ?? null,
        address: service.address || null,
        runs: isAlive(service),
      })),
    mind,
    connections,
    moments,
    models,
    slowestBeat,
    checks: [...life.filter(({ name }) => name !== OF_WORKERS), ...minds, ...pollers],
  }
}
