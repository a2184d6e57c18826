import { recordService } from '../instance/instance.ts'
import { TRACES } from '../instance/services.ts'
import { environmentOf, launch, runsWith } from './launch.ts'
import { type Servers, type StartOptions, serversOf } from './servers.ts'

/** Neither model keys, nor a login that writes for others than persons. */
const KEPT =
  /^(OTEL_|DATABASE_URL$|TREEOS_(DATA|DEBUG|PEOPLE_)|NODE_|PATH$|HOME$|USER$|LANG$|LC_|TMPDIR$|SSL_CERT_|(HTTPS?|NO)_PROXY$|(https?|no)_proxy$)/

/** Where traces go; or why they go nowhere, although a collector is named. */
export type NamedCollector = { readonly address: string } | { readonly off: string }

const PROTOCOL = 'http/protobuf'

/** What OpenTelemetry's own variables say of traces; null where they name no collector. */
export function collectorOf(env: NodeJS.ProcessEnv): NamedCollector | null {
  const [name, address] = firstSet(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT')
  if (address === '') return null
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return { off: 'OTEL_SDK_DISABLED is true' }
  const exporters = (env.OTEL_TRACES_EXPORTER?.trim().toLowerCase() || 'otlp').split(/\s*,\s*/)
  if (!exporters.includes('otlp'))
    return {
      off: `OTEL_TRACES_EXPORTER is ${exporters.join(',')}${exporters.includes('none') ? '' : ', and they are sent by otlp alone'}`,
    }
  const [which, protocol] = firstSet(env, 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL')
  if (protocol !== '' && protocol.toLowerCase() !== PROTOCOL)
    return {
      off: `${which} is ${JSON.stringify(protocol)}, and they are sent by ${PROTOCOL} alone, which most collectors take at port 4318`,
    }
  if (!['http:', 'https:'].includes(URL.parse(address)?.protocol ?? ''))
    return { off: `${name} is ${JSON.stringify(address)}: write a URL as in http://127.0.0.1:4318` }
  return { address }
}

/** The first of two variables that says something, and what it says. */
function firstSet(env: NodeJS.ProcessEnv, first: string, second: string): [name: string, value: string] {
  const own = env[first]?.trim() ?? ''
  return own === '' ? [second, env[second]?.trim() ?? ''] : [first, own]
}

/**
 * Starts the process that sends traces, where a collector is named, unless it runs with the servers of now.
 */
export async function ensureTraces(options: StartOptions, place: Servers): Promise<void> {
  const { dataDir, env = process.env, programs, onProgress } = options
  const collector = collectorOf(env)
  if (collector === null) return
  if ('off' in collector) return onProgress(`traces are not sent: ${collector.off}`)
  if (await runsWith(dataDir, TRACES, place)) return
  const args = [programs.treeos, 'traces', '--supervised', '--json', '--data', dataDir]
  const { process: started } = await launch(dataDir, TRACES, args, environmentOf(dataDir, env, KEPT))
  await recordService(dataDir, { name: TRACES, process: started, address: '', detail: serversOf(place) })
}
