import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import type { SpanExporter } from '@opentelemetry/sdk-trace'

/** Whether contents may leave the store, by the variable of OpenTelemetry's conventions. */
export const mayTellContent = (env: NodeJS.ProcessEnv): boolean =>
  env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT?.toLowerCase() === 'true'

/** Sends spans by OTLP over HTTP. It reads `OTEL_EXPORTER_OTLP_*`: endpoint, headers, certificates, compression and timeout. */
export const collector = (): SpanExporter => new OTLPTraceExporter()

/** Names the reality on every span; `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` say more, or otherwise. */
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
