import {
  type Fact,
  parseMomentId,
  quote,
  type ReelId,
  ROOT_SPACE,
  stanceOf,
  TreeosError,
  type VerbCall,
} from '@treeos/core'
import { type Db, factsByHash, findOutcome, listFactsAt } from '@treeos/store'

const HASH = /^[0-9a-f]{64}$/
const FACT = /^(.+)#([1-9][0-9]{0,15})$/
const MOMENT = /^[^/#]+\/[1-9][0-9]*\/[1-9][0-9]*$/

/**
 * The call that erases a fact or a moment.
 * @param what a fact by its hash or as `<reel>#<seq>`, or a moment by its id, `<being>/<generation>/<n>`
 * @throws {TreeosError} INVALID_INPUT; MOMENT_NOT_FOUND
 */
export async function erasing(db: Db, what: string, why: string): Promise<VerbCall> {
  if (MOMENT.test(what) && !HASH.test(what)) {
    if ((await findOutcome(db, what)) === null)
      throw new TreeosError('MOMENT_NOT_FOUND', `no moment ${quote(what)} has ended in this reality`)
    return erase(stanceOf(parseMomentId(what).being), { moment: what, why })
  }
  const fact = await findFact(db, what)
  if (fact === undefined)
    throw new TreeosError(
      'INVALID_INPUT',
      `${quote(what)} is not a fact of this reality: name it by its hash or as <reel>#<seq>, or a moment by its id, as in ann/1/3`,
    )
  const { reel, seq } = fact.header
  return erase(addressOfReel(reel), { fact: { reel, seq, hash: fact.hash }, why })
}

const erase = (target: string, args: Extract<VerbCall, { verb: 'do' }>['args']): VerbCall => ({
  verb: 'do',
  operation: 'erase',
  target,
  args,
})

async function findFact(db: Db, what: string): Promise<Fact | undefined> {
  if (HASH.test(what)) return (await factsByHash(db, [what])).get(what)
  const [, reel, seq] = FACT.exec(what) ?? []
  return reel === undefined ? undefined : (await listFactsAt(db, [{ reel, seq: Number(seq) }]))[0]
}

/** Of what a fact is: a stance, a path or a thing. What is of none of them is of the whole reality. */
export function addressOfReel(reel: ReelId): string {
  if (reel.startsWith('being:')) return stanceOf(reel.slice('being:'.length))
  if (reel.startsWith('space:')) return reel.slice('space:'.length)
  return reel.startsWith('matter:') ? reel : ROOT_SPACE
}
