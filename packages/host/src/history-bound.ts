import type { Payload, PayloadCodec } from '@temporalio/common'

/** Most bytes of one value in history. A program and a context at their own limits stay below it. */
const PAYLOAD_BYTES_MAX = 160 * 1024

/**
 * Refuses a value that is too large for history, before it reaches Temporal. It also applies to a host's own
 * workflows and activities on the same worker.
 */
export class PayloadBound implements PayloadCodec {
  async encode(payloads: Payload[]): Promise<Payload[]> {
    for (const { data } of payloads) {
      const bytes = data?.length ?? 0
      if (bytes > PAYLOAD_BYTES_MAX) {
        throw new RangeError(
          `a payload of ${bytes} bytes is too large for history: at most ${PAYLOAD_BYTES_MAX} bytes are allowed`,
        )
      }
    }
    return payloads
  }

  async decode(payloads: Payload[]): Promise<Payload[]> {
    return payloads
  }
}
