import { mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { workflowBundle } from '@treeos/host'
import { ensurePostgres, ensureTemporal, processStart, removeInstance } from '@treeos/local'
import { SEARCH_ATTRIBUTES } from '@treeos/protocol'
import { bundleForReplay } from '@treeos/replay'
import type { TestProject } from 'vitest/node'
import { compileWorker } from '../faults/worker-process.ts'
import { makeTemplate } from './template.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** a server on which tests may make databases and roles */
    postgresUrl: string
    /** the same server, as the role of workers, which owns nothing */
    workerPostgresUrl: string
    /** the same server, as the role of commands, which act for persons */
    peoplePostgresUrl: string
    /** the same server, as the role of acts by signal; null where none is named */
    signalsPostgresUrl: string | null
    /** null for a Postgres that names no login of the portal */
    portalPostgresUrl: string | null
    sequencerPostgresUrl: string | null
    /** the log of that server; null when the server is not ours */
    postgresLog: string | null
    /** name of a database on that server, migrated and otherwise empty, to copy */
    templateDatabase: string
    /** host:port of a Temporal server that has our search attributes */
    temporalAddress: string
    /** variables by which programs reach it, see `temporalAccess` */
    temporalEnv: Record<string, string>
    /** file of the workflow bundle, made once for all workers of a run */
    bundlePath: string
    /** file of the bundle with the strict recorder, for replay */
    replayBundlePath: string
    /** NODE_COMPILE_CACHE of workers that are processes: the sources of their program, compiled */
    compiledFolder: string
  }
}

type Stop = () => Promise<void>

const PREFIX = 'treeos-test-'

/** Stops the services of runs that were killed. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split('-')[0]) : Number.NaN
    if (Number.isInteger(owner) && processStart(owner) === null) await removeInstance(join(tmpdir(), name))
  }
}

/**
 * Runs once for the project `services` of vitest.config.ts. DATABASE_URL and TEMPORAL_ADDRESS name servers to
 * use instead.
 */
export default async function setup({ provide }: TestProject): Promise<Stop> {
  await removeAbandoned()
  const dataDir = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`))
  const onProgress = (line: string) => console.error(line)
  const searchAttributes = SEARCH_ATTRIBUTES.map((attribute) => attribute.name)
  const bundlePath = join(dataDir, 'workflow-bundle.js')
  const replayBundlePath = join(dataDir, 'replay-bundle.js')
  const compiledFolder = process.env.NODE_COMPILE_CACHE ?? join(dataDir, 'compiled')
  const [postgres, temporal] = await Promise.all([
    ensurePostgres({ dataDir, onProgress }),
    ensureTemporal({ dataDir, searchAttributes, onProgress }),
    workflowBundle().then(({ code }) => writeFile(bundlePath, code)),
    bundleForReplay().then(({ code }) => writeFile(replayBundlePath, code)),
    compileWorker(compiledFolder),
  ])
  const template = await makeTemplate(postgres.url)
  provide('postgresUrl', postgres.url)
  provide('workerPostgresUrl', postgres.workerUrl)
  provide('peoplePostgresUrl', postgres.peopleUrl)
  provide('signalsPostgresUrl', postgres.signalsUrl)
  provide('portalPostgresUrl', postgres.portalUrl)
  provide('sequencerPostgresUrl', postgres.sequencerUrl)
  provide('postgresLog', process.env.DATABASE_URL ? null : join(dataDir, 'postgres.log'))
  provide('templateDatabase', template.name)
  provide('temporalAddress', temporal.address)
  provide('temporalEnv', temporal.env)
  provide('bundlePath', bundlePath)
  provide('replayBundlePath', replayBundlePath)
  provide('compiledFolder', compiledFolder)
  return async () => {
    await template.drop()
    await removeInstance(dataDir)
  }
}
