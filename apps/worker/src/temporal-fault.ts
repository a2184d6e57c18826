/** Names of gRPC statuses that mean a refusal, in both forms that the SDK's core prints. */
const REFUSALS =
  /\b(NotFound|Unauthenticated|PermissionDenied|InvalidArgument|Unimplemented)\b|requested entity was not found|valid authentication credentials|does not have permission|invalid argument|not implemented or not supported/
/**
 * The server answers, but without TLS where we use it, not in gRPC, or with a certificate that we do not
 * trust.
 */
const OTHER_LANGUAGE = /kind: InvalidData\b|FRAME_SIZE_ERROR|[cC]ertificate/

/** A failed call, classified by the text of the SDK's Rust core, the only thing that it gives. */
export class TemporalFault extends Error {
  override readonly name = 'TemporalFault'
  /** the same call may succeed a moment later */
  readonly isPassing: boolean
  /** @param text the message of a TransportError */
  constructor(text: string) {
    super(reasonIn(text))
    this.isPassing = !REFUSALS.test(text) && !OTHER_LANGUAGE.test(text)
  }
}

/** The system's name of the error, else the innermost message, else the whole text. */
function reasonIn(text: string): string {
  if (OTHER_LANGUAGE.test(text))
    return `it does not speak our protocol, check TEMPORAL_ADDRESS and TEMPORAL_TLS: ${text}`
  const kind = /kind: (?!Uncategorized)([A-Z][A-Za-z]+)|Kind\(([A-Z][A-Za-z]+)\)/.exec(text)
  if (kind !== null) return (kind[1] ?? kind[2]) as string
  return [...text.matchAll(/(?:message|error): "([^"]+)"/g)].at(-1)?.[1] ?? text
}
