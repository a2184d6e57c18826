import { join } from 'node:path'
import { recordService } from '../instance/instance.ts'
import { CHECKPOINTS } from '../instance/services.ts'
import { environmentOf, launch, runsWith } from './launch.ts'
import { type Servers, type StartOptions, serversOf } from './servers.ts'

/** Neither model keys, nor any other login to Postgres. */
const KEPT =
  /^(TREEOS_(DATA|DEBUG|CHECKPOINT_|SEQUENCER_|WITNESS)|NODE_|PATH$|HOME$|USER$|LANG$|LC_|TMPDIR$|SSL_CERT_)/
export const NO_SEQUENCER =
  'with a Postgres of your own, set TREEOS_SEQUENCER_DATABASE_URL to one that is a member of treeos_sequencer'

/** Where the checkpoints of an instance are. Copy it to where the owner of the database cannot write. */
export const checkpointsFolder = (dataDir: string): string => join(dataDir, 'checkpoints')

/**
 * Starts the process that signs checkpoints, unless it runs with the servers of now. It reports what goes
 * wrong in its log.
 */
export async function ensureCheckpoints(options: StartOptions, place: Servers): Promise<void> {
  const { dataDir, env = process.env, programs, onProgress } = options
  if (place.sequencerUrl === null) return onProgress(`no checkpoints: ${NO_SEQUENCER}`)
  if (await runsWith(dataDir, CHECKPOINTS, place)) return
  const follow = ['checkpoint', '--follow', checkpointsFolder(dataDir), '--supervised', '--json']
  const args = [programs.treeos, ...follow, '--data', dataDir]
  const { process: started } = await launch(dataDir, CHECKPOINTS, args, environmentOf(dataDir, env, KEPT))
  await recordService(dataDir, {
    name: CHECKPOINTS,
    process: started,
    address: '',
    detail: serversOf(place),
  })
}
