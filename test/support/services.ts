import { mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'
import { workflowsPath } from '@treeos/host'
import { ensurePostgres, ensureTemporal, processStart, removeInstance } from '@treeos/local'
import { SEARCH_ATTRIBUTES } from '@treeos/protocol'
import { bundleForReplay } from '@treeos/replay'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** a server on which tests may make databases and roles */
    postgresUrl: string
    /** host:port of a Temporal with our search attributes */
    temporalAddress: string
    /** the workflows, bundled once for all workers of a run */
    bundlePath: string
    /** the same with the strict recorder, for replay */
    replayBundlePath: string
  }
}

type Stop = () => Promise<void>

const PREFIX = 'treeos-test-'

/** A run that was killed could not stop its services; the next one does. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split('-')[0]) : Number.NaN
    if (Number.isInteger(owner) && processStart(owner) === null) await removeInstance(join(tmpdir(), name))
  }
}

/** Started once for the project `services` of vitest.config.ts; DATABASE_URL and TEMPORAL_ADDRESS name others to use. */
export default async function setup({ provide }: TestProject): Promise<Stop> {
  await removeAbandoned()
  const dataDir = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`))
  const onProgress = (line: string) => console.error(line)
  const searchAttributes = SEARCH_ATTRIBUTES.map((attribute) => attribute.name)
  const postgres = await ensurePostgres({ dataDir, onProgress })
  const temporal = await ensureTemporal({ dataDir, searchAttributes, onProgress })
  const bundlePath = join(dataDir, 'workflow-bundle.js')
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') })
  await writeFile(bundlePath, code)
  const replayBundlePath = join(dataDir, 'replay-bundle.js')
  await writeFile(replayBundlePath, (await bundleForReplay()).code)
  provide('postgresUrl', postgres.url)
  provide('temporalAddress', temporal.address)
  provide('bundlePath', bundlePath)
  provide('replayBundlePath', replayBundlePath)
  return async () => {
    await removeInstance(dataDir)
  }
}
