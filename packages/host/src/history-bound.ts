import type { Payload, PayloadCodec, SerializationContext } from '@temporalio/common'
import { isOurWorkflowId } from '@treeos/protocol'

/** Most bytes of one value in history. A program and a context at their own limits stay below it. */
const PAYLOAD_BYTES_MAX = 160 * 1024

/**
 * Refuses a value of ours that is too large for history, before it reaches Temporal. Workflows and activities
 * of the host on the same worker are not its matter.
 */
export class PayloadBound implements PayloadCodec {
  async encode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    if (!isOurWorkflowId(context?.workflowId ?? '')) return payloads
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
