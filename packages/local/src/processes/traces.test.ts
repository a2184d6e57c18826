import { expect, it } from 'vitest'
import { collectorOf } from './traces.ts'

const HERE = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }

it.each<[Record<string, string>, ReturnType<typeof collectorOf>]>([
  [{}, null],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, null],
  [HERE, { address: 'http://127.0.0.1:4318' }],
  [{ ...HERE, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://t.test/v1' }, { address: 'https://t.test/v1' }],
  [
    { ...HERE, OTEL_SDK_DISABLED: 'false', OTEL_TRACES_EXPORTER: '', OTEL_EXPORTER_OTLP_PROTOCOL: '' },
    { address: 'http://127.0.0.1:4318' },
  ],
  [
    { ...HERE, OTEL_TRACES_EXPORTER: 'console, otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'HTTP/protobuf' },
    { address: 'http://127.0.0.1:4318' },
  ],
  [{ OTEL_SDK_DISABLED: 'true' }, null],
  [{ ...HERE, OTEL_SDK_DISABLED: ' True ' }, { off: 'OTEL_SDK_DISABLED is true' }],
  [{ ...HERE, OTEL_TRACES_EXPORTER: 'none' }, { off: 'OTEL_TRACES_EXPORTER is none' }],
])('%j means %j', (env, collector) => expect(collectorOf(env)).toEqual(collector))

it.each<[Record<string, string>, string]>([
  [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER is zipkin, and they are sent by otlp alone'],
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"'],
  [
    { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' },
    'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL is "http/json"',
  ],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT is "localhost:4318"'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '127.0.0.1:4318' }, 'write a URL as in http://127.0.0.1:4318'],
  [
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'grpc://c:4317' },
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is "grpc://c:4317"',
  ],
])('%j is told, and nothing is sent', (env, words) => {
  expect(collectorOf({ ...HERE, ...env })).toEqual({ off: expect.stringContaining(words) })
})
