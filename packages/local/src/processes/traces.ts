import { recordService } from '../instance/instance.ts'
import { TRACES } from '../instance/services.ts'
import { environmentOf, launch, runsWith } from './launch.ts'
import { type Servers, type StartOptions, serversOf } from './servers.ts'

/** Neither model keys, nor a login that writes for others than persons. */
const KEPT =
  /^(OTEL_|DATABASE_URL$|TREEOS_(DATA|DEBUG|PEOPLE_)|NODE_|PATH$|HOME$|USER$|LANG$|LC_|TMPDIR$|SSL_CERT_|(HTTPS?|NO)_PROXY$|(https?|no)_proxy$)/

/** The address that traces go to, as OpenTelemetry's own variables name it; null where they name none. */
export const collectorOf = (env: NodeJS.ProcessEnv): string | null =>
  env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT || null

/**
 * Starts the process that sends traces, where a collector is named, unless it runs with the servers of now.
 */
export async function ensureTraces(options: StartOptions, place: Servers): Promise<void> {
  const { dataDir, env = process.env, programs } = options
  if (collectorOf(env) === null || (await runsWith(dataDir, TRACES, place))) return
  const args = [programs.treeos, 'traces', '--supervised', '--json', '--data', dataDir]
  const { process: started } = await launch(dataDir, TRACES, args, environmentOf(dataDir, env, KEPT))
  await recordService(dataDir, { name: TRACES, process: started, address: '', detail: serversOf(place) })
}
