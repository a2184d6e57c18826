import { extname, join, resolve } from 'node:path'
import { openInstance, readInstance, recordService, spawnDetached, terminate } from '@treeos/local'
import type { SignerPlace } from '@treeos/proofs'
import { NO_SEQUENCER } from './connection.ts'
import { CHECKPOINTS, isAlive, serviceOf } from './instance.ts'
import type { Servers, StartOptions } from './servers.ts'
import { isStale, serversOf } from './workers.ts'

/** Neither model keys, nor any other login to Postgres. */
const KEPT =
  /^(TREEOS_(DATA|DEBUG|CHECKPOINT_|SEQUENCER_)|NODE_|PATH$|HOME$|USER$|LANG$|LC_|TMPDIR$|SSL_CERT_)/

/** Where the checkpoints of an instance are. Copy it to where the owner of the database cannot write. */
export const checkpointsFolder = (dataDir: string): string => join(dataDir, 'checkpoints')

/** What the signer keeps to itself: its key, and what it signed last. */
export const signerFolder = (dataDir: string): string => join(dataDir, 'signer')

export const lastSignedFile = (dataDir: string): string => join(signerFolder(dataDir), 'last.json')

export function signerPlace(
  dataDir: string,
  { origin, folder }: Pick<SignerPlace, 'origin' | 'folder'>,
  { TREEOS_CHECKPOINT_KEY: key }: NodeJS.ProcessEnv = process.env,
): SignerPlace {
  const keyFile = key ? resolve(key) : join(signerFolder(dataDir), 'key')
  return { origin, folder, keyFile, lastFile: lastSignedFile(dataDir) }
}

/** Starts the process that signs checkpoints, unless it runs with the servers of now. It reports what goes wrong in its log. */
export async function ensureCheckpoints(options: StartOptions, place: Servers): Promise<void> {
  const { dataDir, env = process.env, onProgress } = options
  if (place.sequencerUrl === null) {
    onProgress(`no checkpoints: ${NO_SEQUENCER}`)
    return
  }
  const standing = serviceOf(readInstance(dataDir), CHECKPOINTS)
  if (standing !== null && isAlive(standing)) {
    if (!isStale(standing, place)) return
    if (standing.process !== null) await terminate(standing.process)
  }
  openInstance(dataDir)
  const started = await spawnDetached({
    command: process.execPath,
    args: [
      join(import.meta.dirname, `../main${extname(import.meta.filename)}`),
      'checkpoint',
      '--follow',
      checkpointsFolder(dataDir),
      '--supervised',
      '--json',
      '--data',
      dataDir,
    ],
    logFile: join(dataDir, `${CHECKPOINTS}.log`),
    env: {
      ...Object.fromEntries(Object.entries(env).filter(([name]) => KEPT.test(name))),
      TREEOS_DATA: dataDir,
    },
  })
  await recordService(dataDir, {
    name: CHECKPOINTS,
    process: started,
    address: '',
    detail: serversOf(place),
  })
}
