import { readFileSync } from 'node:fs'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import { agentOptionsFor } from '@treeos/egress'

/** Whether contents may leave the store, by the variable of OpenTelemetry's conventions. */
export const mayTellContent = (env: NodeJS.ProcessEnv): boolean =>
  env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT?.toLowerCase() === 'true'

/**
 * Sends spans by OTLP over HTTP, by the proxies of the environment. It reads `OTEL_EXPORTER_OTLP_*`:
 * endpoint, headers, certificates, compression and timeout.
 */
export function collector(env: NodeJS.ProcessEnv = process.env): SpanExporter {
  const set = (name: string) =>
    env[`OTEL_EXPORTER_OTLP_TRACES_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`] || null
  const url = URL.parse(set('ENDPOINT') ?? '')
  const proxied = url === null ? {} : agentOptionsFor(url, set('HEADERS') !== null)
  if (proxied.proxyEnv === undefined) return new OTLPTraceExporter()
  // Options of one's own replace those that the library makes of these variables.
  const file = (name: string) => {
    const path = set(name)
    return path === null ? undefined : readFileSync(path)
  }
  const tls = { ca: file('CERTIFICATE'), cert: file('CLIENT_CERTIFICATE'), key: file('CLIENT_KEY') }
  return new OTLPTraceExporter({ httpAgentOptions: { ...proxied, ...tls } })
}

/**
 * Names the reality on every span; `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` say more, or otherwise.
 */
export function resourceOf({ id, name }: { readonly id: string; readonly name: string }): Resource {
  const ours = resourceFromAttributes({
    'service.name': 'treeos',
    'treeos.reality.id': id,
    'treeos.reality.name': name,
  })
  return defaultResource()
    .merge(ours)
    .merge(detectResources({ detectors: [envDetector] }))
}
