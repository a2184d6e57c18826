import type { MomentId, ReelId } from '@treeos/core'
import type { EffectDigests } from '../ledger/records.ts'
import type { Db } from '../sql/database.ts'
import { headsIn } from './basis.ts'
import { effectDigests } from './effects.ts'

/** What is stored of a moment before its outcome, as far as the outcome says more of it. */
export interface BeforeStamp {
  /** seqs of its basis, by reel */
  readonly basis: ReadonlyMap<ReelId, number>
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
  const { basis, salt, request, result } = row
  return {
    basis: new Map(Object.entries(headsIn(basis))),
    effect: salt === null || request === null ? null : effectDigests({ salt, request, result }),
  }
}
