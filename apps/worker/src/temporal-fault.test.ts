import { expect, it } from 'vitest'
import { TemporalFault } from './temporal-fault.ts'

/** In the words of the SDK's core, as it said them. */
it.each([
  {
    what: 'a refused connection',
    text: 'tonic::transport::Error(Transport, ConnectError(ConnectError("tcp connect error", 127.0.0.1:1, Os { code: 111, kind: ConnectionRefused, message: "Connection refused" })))',
    isPassing: true,
    message: 'ConnectionRefused',
  },
  {
    what: 'a name that nobody has',
    text: 'tonic::transport::Error(Transport, ConnectError(ConnectError("dns error", Custom { kind: Uncategorized, error: "failed to lookup address information: Name or service not known" })))',
    isPassing: true,
    message: 'failed to lookup address information: Name or service not known',
  },
  {
    what: 'a connection that is cut',
    text: `Failed to call GetSystemInfo: code: 'Unknown error', message: "transport error", source: tonic::transport::Error(Transport, hyper::Error(Io, Kind(ConnectionReset)))`,
    isPassing: true,
    message: 'ConnectionReset',
  },
  {
    what: 'silence',
    text: `Failed to call GetSystemInfo: code: 'The operation was cancelled', message: "Timeout expired", source: tonic::transport::Error(Transport, TimeoutExpired(()))`,
    isPassing: true,
    message: 'Timeout expired',
  },
  {
    what: 'TLS where none is spoken',
    text: 'tonic::transport::Error(Transport, ConnectError(Custom { kind: InvalidData, error: InvalidMessage(InvalidContentType) }))',
    isPassing: false,
    message: expect.stringContaining('check TEMPORAL_ADDRESS and TEMPORAL_TLS'),
  },
  {
    what: 'a web server',
    text: `Failed to call GetSystemInfo: code: 'Unknown error', message: "h2 protocol error: http2 error", source: tonic::transport::Error(Transport, hyper::Error(Http2, Error { kind: GoAway(b"", FRAME_SIZE_ERROR, Library) }))`,
    isPassing: false,
    message: expect.stringContaining('check TEMPORAL_ADDRESS and TEMPORAL_TLS'),
  },
])('$what may pass: $isPassing', ({ text, isPassing, message }) => {
  expect(new TemporalFault(text)).toMatchObject({ isPassing, message })
})
