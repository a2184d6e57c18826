import { asJson, type HeadRef } from '@treeos/core'
import { saltedHead } from '@treeos/store'
import type { Witness } from '@treeos/verify'
import type { MomentLine } from './read.ts'

type Members = Pick<Witness['moment'], 'basis' | 'judged'>

const headsOf = (heads: unknown): readonly HeadRef[] => (Array.isArray(heads) ? heads : [])

/**
 * The heads of a moment as a receipt has them: with its salt where it is shown, and else as its salted hash,
 * which names nothing.
 * @param isShown by reel
 */
export function membersOf(
  { basis, basisSalt, judged }: MomentLine,
  isShown: (reel: string) => boolean,
): Members {
  const places = new Map(headsOf(basis).map(([reel], place) => [reel, place]))
  const memberOf = (head: HeadRef) => {
    const { salt, hash } = saltedHead(String(basisSalt), head)
    return isShown(head[0]) ? [...head, salt] : hash
  }
  return {
    basis: asJson(headsOf(basis).map(memberOf)),
    judged:
      judged === null
        ? null
        : asJson(headsOf(judged).map((head) => [places.get(head[0]) ?? null, memberOf(head)])),
  }
}
