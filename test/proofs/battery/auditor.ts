/**
 * What somebody runs who suspects both stores: verify, the same in SQL, replay from both, and the
 * checkpoints.
 */

import type { BeingName } from '@treeos/core'
import { type BrokenReason, type ChainFault, type Checkpoint, verifyAll, verifyLog } from '@treeos/proofs'
import { replay } from '@treeos/replay'
import { FOLD } from '@treeos/world'
import { verifyInSql } from '../verify-in-sql.ts'
import type { Audited } from './stage.ts'

export type Means = 'verify' | 'sql' | 'chain' | 'temporal' | 'checkpoints'

/** One thing that is reported, where, and by what. */
export interface Finding {
  readonly by: Means
  /** a reel, `moments:<being>`, `inbox:<being>`, `blob:<digest>` or `log` */
  readonly reel: string
  readonly seq: number
  /** the reason of a break, or the field that differs */
  readonly why: string
  /** of a replay, what else it names */
  readonly says: string
}

/** What may be switched off for a control: a means, a reason of verify or a field of replay. */
export type Without = ReadonlySet<string>

const OF_CHAINS: ReadonlySet<BrokenReason> = new Set([
  'seq-gap',
  'prev-mismatch',
  'hash-mismatch',
  'header-mismatch',
  'payload-mismatch',
  'head-mismatch',
])

export class Auditor {
  readonly #stage: Audited
  readonly #without: Without

  constructor(stage: Audited, without: Without = new Set()) {
    this.#stage = stage
    this.#without = without
  }

  async verify(): Promise<Finding[]> {
    const { world } = this.#stage
    const { broken } = await verifyAll(world.owner, world.reality.id, FOLD)
    // The stage has no constraints, which shows by itself: what is tried here is what they would not let through.
    const isUnguarded = ({ reel, reason }: ChainFault) => reel === 'schema' && reason === 'table-mismatch'
    return this.#kept(broken.filter((one) => !isUnguarded(one)).map((one) => findingOf('verify', one)))
  }

  /** Postgres' own verdict on the chains must be that of `verify`. @returns where they differ */
  async disagreements(verified: readonly Finding[]): Promise<string[]> {
    const { world } = this.#stage
    const { broken } = await verifyInSql(world.owner, world.reality.id)
    const places = (all: readonly { reel: string; seq: number }[]) =>
      new Set(all.map(({ reel, seq }) => `${reel}#${seq}`))
    const own = places(verified.filter(({ why }) => OF_CHAINS.has(why as BrokenReason)))
    const theirs = places(broken)
    return [...own, ...theirs].filter((place) => !(own.has(place) && theirs.has(place)))
  }

  async replay(beings: readonly BeingName[] | null, from: 'chain' | 'temporal' | 'both'): Promise<Finding[]> {
    const { world, archive, replayer } = this.#stage
    const { mismatches } = await replay(world, { beings, from, archive: archive.folder, replayer })
    return this.#kept(
      mismatches.map(({ being, n, field, recorded, chain, temporal }) => ({
        by: chain === null && (temporal !== null || field === 'history') ? 'temporal' : 'chain',
        reel: `moments:${being}`,
        seq: n,
        why: field,
        says: JSON.stringify([recorded, chain, temporal]),
      })),
    )
  }

  async checkpoints(some: readonly Checkpoint[]): Promise<Finding[]> {
    const { broken, suspect } = await verifyLog(this.#stage.world.owner, some)
    const says = suspect === null ? '' : `${suspect.from} ${suspect.to}`
    return this.#kept(broken.map((one) => ({ ...findingOf('checkpoints', one), says })))
  }

  /** All of it. */
  async all(): Promise<Finding[]> {
    const verified = await this.verify()
    const other = await this.disagreements(verified)
    if (other.length > 0) throw new Error(`verify and verify in SQL differ: ${other.join(', ')}`)
    const replayed = await this.replay(null, 'both')
    return [...verified, ...replayed, ...(await this.checkpoints(this.#stage.checkpoints))]
  }

  #kept(findings: readonly Finding[]): Finding[] {
    // of `command 7` the first word
    const isOff = (why: string) => this.#without.has(why.split(' ', 1)[0] ?? '')
    return findings.filter(({ by, why }) => !this.#without.has(by) && !isOff(why))
  }
}

const findingOf = (by: Means, { reel, seq, reason, key = '' }: ChainFault): Finding => ({
  by,
  reel,
  seq,
  why: reason,
  says: key,
})
