import type { BeingName } from '@treeos/core'
import type { ScheduleRef } from '@treeos/protocol'
import type { Reality, StoreDb } from '@treeos/store'
import type { Registry } from '@treeos/world'
import type { Kysely } from 'kysely'
import type { Observer } from './guard/observer.ts'
import type { Memory } from './memory.ts'
import type { Model } from './model/model.ts'
import type { OverlayAccess } from './overlay-access.ts'

/** Dependencies of the beats, built once at worker start. */
export interface BeatDeps {
  readonly db: Kysely<StoreDb>
  readonly reality: Reality
  readonly registry: Registry
  readonly memory: Memory
  /** null when no model is connected: moments of LLM beings fail with LLM_NOT_CONFIGURED */
  readonly model: Model | null
  /** models of the operator's configuration, by name; a being with the quality `llm.connection` uses that one */
  readonly connections: ReadonlyMap<string, Model>
  /** hosts, or host:port, with private addresses that effects may reach */
  readonly privateHosts: readonly string[]
  /** path of the sandbox program that effects run commands in; null: they run none */
  readonly sandbox: string | null
  /** rings beings whose inbox got a row; returns at once, and a lost ring costs latency only */
  readonly ring: (beings: readonly BeingName[]) => void
  /** asks Temporal whether a run still runs; throws when it does not answer soon */
  readonly runs: (run: { readonly workflowId: string; readonly runId: string }) => Promise<boolean>
  /** updates schedules that an act changed; returns at once, and a sweep repeats what is lost */
  readonly reschedule: (changed: readonly ScheduleRef[]) => void
  readonly overlays: OverlayAccess
  /** whether persons may act by a Temporal signal: only where a credential says who sends one */
  readonly actSignal: boolean
  /** receives what beats do, and the errors whose messages history must not hold */
  readonly observe: Observer
}
