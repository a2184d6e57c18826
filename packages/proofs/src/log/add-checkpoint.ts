import { egressFetch } from '@treeos/egress'
import { cosignedBy, type OutsideWitness, readSignatures } from '@treeos/verify'

/**
 * Why a witness did not cosign a checkpoint.
 * - `away`: it was not reached, took too long, or said that it cannot now
 * - `unknown-log`: it does not watch this log (404)
 * - `untrusted`: it knows no key that signed the checkpoint (403)
 * - `inconsistent`: it says that the log does not begin with the entries that it cosigned (422)
 * - `ahead`: it cosigned more entries than the log has
 * - `malformed`: its answer is not one that C2SP tlog-witness describes, or not its signature
 * - `clock`: the time in its cosignature is not that of now
 */
export type NotCosigned =
  | 'away'
  | 'unknown-log'
  | 'untrusted'
  | 'inconsistent'
  | 'ahead'
  | 'malformed'
  | 'clock'

export type WitnessAnswer =
  /** @property lines of its signatures. @property at seconds since 1970, by its clock */
  | { readonly status: 'cosigned'; readonly lines: string; readonly at: number }
  /** it cosigned a tree of this size last */
  | { readonly status: 'conflict'; readonly size: number }
  | { readonly status: 'refused'; readonly why: NotCosigned; readonly what: string }

export interface Submission {
  /** entries of the tree that the witness cosigned last; 0 for none */
  readonly old: number
  /** that the tree of the checkpoint begins with these entries */
  readonly proof: readonly Buffer[]
  /** the signed checkpoint */
  readonly note: string
}

const ANSWER_BYTES_MAX = 16 * 1024
/** A cosignature tells when it was made. One of another time than now was not made for this question. */
const CLOCK_SECONDS_MAX = 600

const refusedCheckpoint = (why: NotCosigned, what: string): WitnessAnswer => ({
  status: 'refused',
  why,
  what,
})

/** Submits a checkpoint to a witness: `add-checkpoint` of C2SP tlog-witness. It never throws. */
export async function addCheckpoint(
  witness: OutsideWitness,
  { old, proof, note }: Submission,
  signal: AbortSignal,
): Promise<WitnessAnswer> {
  const lines = [`old ${old}`, ...proof.map((hash) => hash.toString('base64')), '', note]
  try {
    const response = await egressFetch(`${witness.url}/add-checkpoint`, {
      method: 'POST',
      body: lines.join('\n'),
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      redirect: 'error',
      signal,
    })
    return readAnswer(witness, note, response.status, await responseText(response))
  } catch (error) {
    return refusedCheckpoint('away', witnessReason(error))
  }
}

function readAnswer(witness: OutsideWitness, note: string, status: number, text: string): WitnessAnswer {
  if (status === 200) return readCosigned(witness, note, text)
  if (status === 409) {
    const [, size] = /^(0|[1-9]\d{0,14})\n$/.exec(text) ?? []
    return size === undefined
      ? refusedCheckpoint('malformed', 'it answered 409 without the size that it knows')
      : { status: 'conflict', size: Number(size) }
  }
  if (status === 404) return refusedCheckpoint('unknown-log', 'it answered 404: it does not watch this log')
  if (status === 403)
    return refusedCheckpoint('untrusted', 'it answered 403: it knows no key that signed this checkpoint')
  if (status === 422)
    return refusedCheckpoint('inconsistent', 'it answered 422: the log does not begin with what it cosigned')
  return refusedCheckpoint(status === 429 || status >= 500 ? 'away' : 'malformed', `it answered ${status}`)
}

/** Keeps the lines that are the signatures of this witness over this checkpoint. */
function readCosigned(witness: OutsideWitness, note: string, text: string): WitnessAnswer {
  try {
    const body = note.slice(0, note.indexOf('\n\n') + 1)
    const signatures = readSignatures(text)
    const [cosigned] = cosignedBy(body, signatures, [witness])
    if (cosigned === undefined)
      return refusedCheckpoint('malformed', 'its answer has no signature of the key in the policy')
    const off = cosigned.at - Math.round(Date.now() / 1000)
    if (Math.abs(off) > CLOCK_SECONDS_MAX)
      return refusedCheckpoint(
        'clock',
        `the time in its cosignature is ${Math.abs(off)} s ${off > 0 ? 'ahead' : 'ago'}`,
      )
    const own = text.split('\n').filter((line, i) => {
      const one = signatures[i]
      return line !== '' && one?.name === witness.name && one.id.equals(witness.id)
    })
    return { status: 'cosigned', lines: `${own.join('\n')}\n`, at: cosigned.at }
  } catch (error) {
    return refusedCheckpoint('malformed', (error as Error).message)
  }
}

/** @throws {Error} for an answer that is longer than any that is expected */
async function responseText(response: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of response.body ?? []) {
    length += part.length
    if (length > ANSWER_BYTES_MAX) throw new Error(`its answer is longer than ${ANSWER_BYTES_MAX} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

function witnessReason(error: unknown): string {
  const { name, message, cause } = error as Error
  if (name === 'TimeoutError') return 'it did not answer in time'
  return cause instanceof Error ? ((cause as { code?: string }).code ?? cause.message) : message
}
