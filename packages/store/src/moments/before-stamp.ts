import type { MomentId, ReelId } from '@treeos/core'
import type { EffectDigests } from '../ledger/records.ts'
import type { Db } from '../sql/database.ts'
import { basisIn } from './basis.ts'
import { effectDigests } from './effects.ts'

/** What is stored of a moment before its outcome, as far as the outcome says more of it. */
export interface BeforeStamp {
  /** seqs of its basis, by reel and in its order, and the salt of its digests */
  readonly basis: ReadonlyMap<ReelId, number>
  readonly basisSalt: string
  /** null when it asked for no effect */
  readonly effect: EffectDigests | null
}

export async function readBeforeStamp(db: Db, moment: MomentId): Promise<BeforeStamp> {
  const row = await db
    .selectFrom('moment_open')
    .leftJoin('moment_effect', 'moment_effect.moment', 'moment_open.moment')
    .select(['moment_open.basis', 'moment_effect.salt', 'moment_effect.request', 'moment_effect.result'])
    .where('moment_open.moment', '=', moment)
    .executeTakeFirst()
  if (row === undefined) throw new Error(`moment ${moment} has no open record`)
  const { salt, request, result } = row
  const basis = basisIn(row.basis)
  return {
    basis: new Map(Object.entries(basis.heads)),
    basisSalt: basis.salt,
    effect: salt === null || request === null ? null : effectDigests({ salt, request, result }),
  }
}
