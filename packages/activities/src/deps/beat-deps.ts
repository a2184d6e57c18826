import type { ChainDb, Reality } from '@treeos/chain'
import type { BeingName } from '@treeos/core'
import type { ScheduleRef } from '@treeos/protocol'
import type { Registry } from '@treeos/world'
import type { Kysely } from 'kysely'
import type { Model } from '../model/model.ts'
import type { Observer } from '../run/observer.ts'
import type { Memory } from './memory.ts'

/** What the beats work with; built once at worker start. */
export interface BeatDeps {
  readonly db: Kysely<ChainDb>
  readonly reality: Reality
  readonly registry: Registry
  readonly memory: Memory
  /** null: LLM beings say plainly that no mind is connected */
  readonly model: Model | null
  /** rings beings whose inbox got a row; returns at once, a lost ring costs latency only */
  readonly ring: (beings: readonly BeingName[]) => void
  /** told of schedules that an act changed; returns at once, what is lost is made up for by a sweep */
  readonly reschedule: (changed: readonly ScheduleRef[]) => void
  /** told what beats do, and of errors whose messages history must not hold */
  readonly observe: Observer
}
