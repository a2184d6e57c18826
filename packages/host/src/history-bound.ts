import type { Payload, PayloadCodec } from '@temporalio/common'

/** What one value in history may weigh: a program and a slice at their own bounds stay below. */
const PAYLOAD_BYTES_MAX = 160 * 1024

/**
 * Refuses a value that is too large for history, before Temporal sees it. Ours never are; a host's own workflows on the
 * same worker are let through up to the server's limits.
 */
export class PayloadBound implements PayloadCodec {
  async encode(payloads: Payload[]): Promise<Payload[]> {
    for (const { data } of payloads) {
      const bytes = data?.length ?? 0
      if (bytes > PAYLOAD_BYTES_MAX) {
        throw new RangeError(
          `a value of ${bytes} bytes was bound for history, at most ${PAYLOAD_BYTES_MAX} are let through`,
        )
      }
    }
    return payloads
  }

  async decode(payloads: Payload[]): Promise<Payload[]> {
    return payloads
  }
}
