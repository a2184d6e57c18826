import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Json, parseCanonical } from '../canonical.ts'
import { parseKey } from '../signature.ts'
import { verifyReceipt } from './receipt.ts'

// Receipts of a reality that lived on real services, and what Go's libraries for DSSE and in-toto say of
// them: `packages/verify/test/go-dsse` makes vectors.json; `TREEOS_RECEIPTS_TO` of
// test/proofs/receipts.test.ts makes receipts.json.
const PAYLOAD_STEP = 101
const folder = join(import.meta.dirname, '../../test/go-dsse')
const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'))

interface Envelope {
  readonly payload: string
  readonly payloadType: string
  readonly signatures: readonly [{ readonly keyid: string; readonly sig: string }]
}
interface Recorded {
  readonly verifier: string
  readonly receipts: readonly { readonly status: string; readonly envelope: Envelope }[]
}
interface Flips {
  readonly tried: number
  readonly accepted: number
}
interface Said {
  readonly status: string
  readonly accepted: boolean
  readonly otherKey: boolean
  readonly payloadType: string
  readonly type: string
  readonly predicateType: string
  readonly subject: string
  readonly digest: string
  readonly verdict: string
  readonly flips: Readonly<Record<'payload' | 'signature' | 'type', Flips>>
}

const { verifier, receipts }: Recorded = read('receipts.json')
const said: readonly Said[] = read('vectors.json')
const key = parseKey(verifier)
const check = (envelope: Envelope) => verifyReceipt(JSON.stringify(envelope), { key })

/** How many of the envelopes with one bit changed are accepted. */
async function tryFlips(part: Buffer, step: number, changed: (part: Buffer) => Envelope): Promise<Flips> {
  const found = { tried: 0, accepted: 0 }
  for (let bit = 0; bit < 8 * part.length; bit += step) {
    const flipped = Buffer.from(part)
    flipped[bit >> 3]! ^= 1 << (bit & 7)
    found.tried += 1
    if ((await check(changed(flipped))).ok) found.accepted += 1
  }
  return found
}

it('Go was asked about receipts of all four statuses', () => {
  expect(receipts.map(({ status }) => status)).toEqual(['refused', 'permitted', 'seen-to-run', 'not-known'])
  expect(said.map(({ status }) => status)).toEqual(receipts.map(({ status }) => status))
})

describe.each(receipts)('a receipt that says $status', ({ status, envelope }) => {
  const go = said.find((one) => one.status === status)!

  it('is accepted and read by Go’s securesystemslib and in-toto as by this package', async () => {
    const { ok, broken, derived, signed } = await check(envelope)
    expect(broken).toEqual([])
    expect({ ok, signed, accepted: go.accepted }).toEqual({ ok: true, signed: true, accepted: true })
    const statement = parseCanonical(Buffer.from(envelope.payload, 'base64').toString()) as Record<
      string,
      Json
    >
    expect({ ...go, flips: null }).toEqual({
      status,
      accepted: true,
      otherKey: false,
      payloadType: envelope.payloadType,
      type: statement._type,
      predicateType: statement.predicateType,
      subject: derived!.moment,
      digest: derived!.hash,
      verdict: derived!.verdict,
      flips: null,
    })
    expect(go.verdict).toBe(status)
  })

  it('is refused by both with any bit changed that was tried, of its payload, its signature and its type', async () => {
    const { payload, payloadType, signatures } = envelope
    const [{ keyid, sig }] = signatures
    const flips = {
      payload: await tryFlips(Buffer.from(payload, 'base64'), PAYLOAD_STEP, (part) => ({
        ...envelope,
        payload: part.toString('base64'),
      })),
      signature: await tryFlips(Buffer.from(sig, 'base64'), 1, (part) => ({
        ...envelope,
        signatures: [{ keyid, sig: part.toString('base64') }],
      })),
      type: await tryFlips(Buffer.from(payloadType), 1, (part) => ({
        ...envelope,
        payloadType: part.toString('latin1'),
      })),
    }
    expect(flips).toEqual(go.flips)
    for (const { tried, accepted } of Object.values(flips)) {
      expect(tried).toBeGreaterThan(100)
      expect(accepted).toBe(0)
    }
  })
})
