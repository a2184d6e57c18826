/** What both verifiers say of a bundle or a receipt. */
import type { Json } from '@treeos/core'
import { type BundleReport, parseKey, verifyReceipt } from '@treeos/verify'
import { verifyBytes } from './bundle-lines.ts'
import type { Opinion, Question, SecondVerifier } from './second-opinion.ts'

export interface TwoOpinions {
  readonly first: Opinion
  readonly second: Opinion
}

export async function askBoth(second: SecondVerifier, question: Question): Promise<TwoOpinions> {
  const [first, other] = await Promise.all([firstOn(question), second.ask(question)])
  return { first, second: other }
}

/** Of what is broken no verdict counts. */
export const areAlike = ({ first, second }: TwoOpinions): boolean =>
  first.status === 'broken' && second.status === 'broken'
    ? true
    : JSON.stringify(first) === JSON.stringify(second)

export async function firstOn({ bundle, receipt, key: by, strict = false }: Question): Promise<Opinion> {
  if (bundle !== undefined) {
    const verified = await verifyBytes(bundle, by, { strict })
    return { status: verified.status, found: verified.status === 'broken' ? null : foundIn(verified) }
  }
  const checking = { key: by === null ? null : parseKey(by), strict }
  const { status, derived } = await verifyReceipt(String(receipt), checking)
  return { status, verdict: derived?.verdict ?? null }
}

const foundIn = ({ facts, moments, covered, erased }: BundleReport): Json => ({
  facts,
  moments,
  covered: covered ?? 0,
  erased: erased.map(({ reel, seq, what, by, why: reason, at }) => [reel, seq, what, by, reason, at]),
})
