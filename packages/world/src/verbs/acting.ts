import type { BeingName, Caller, FactDraft, Json, MomentId, Thread, Wake } from '@treeos/core'
import type { ComposedRole, RoleSpec } from '@treeos/roles'
import type { EffectCall } from '../extend/effect.ts'
import type { Registry } from '../extend/registry.ts'
import type { WorldReader } from '../read/reader.ts'
import type { Surface } from '../rows/lists.ts'
import type { BeingRow } from '../rows/rows.ts'
import type { Catalogs } from './catalogs.ts'
import type { Descriptor } from './descriptor.ts'
import type { Remark } from './orientation.ts'

/** Everything a call is decided from. Reads go through the reader, so whatever it rests on is checked at the commit. */
export interface Acting {
  readonly reader: WorldReader
  readonly registry: Registry
  readonly moment: MomentId
  readonly me: BeingRow
  readonly caller: Caller
  /** who drives it in this moment, an ancestor; null when it decides for itself */
  readonly driver: BeingName | null
  readonly surface: Surface
  /** what opened the moment; for a person's reply, the wake it answers */
  readonly wake: Wake
  /** summons that led here; a person's act leads its own */
  readonly hops: number
  /** what the primary role says of summons to itself, and of answers */
  readonly role: Pick<ComposedRole, 'defaultOrientation' | 'replyTo' | 'respondMode'>
  /** the id that a summon of this act gets */
  readonly correlation: string
  readonly digest: (value: Json) => string
  /** whoever woke the moment, as it was when it spoke; null when nobody did, or nothing of it is known */
  readonly asker: () => Promise<Asker | null>
  /** whoever said what the chain of wakes began with; null when nobody did */
  readonly opener: () => Promise<BeingName | null>
  /** a thread by its id; null when there is no such one */
  readonly thread: (id: string) => Promise<Thread | null>
  /** what came of an effect; null while it is not done */
  readonly outside: (call: EffectCall) => Promise<{ readonly value: Json } | null>
  /** what there is to choose from when one writes roles and flows, as it stands */
  readonly catalogs: () => Promise<Catalogs>
}

/** A being as it was when it spoke. */
export interface Asker {
  /** what it could reach for */
  readonly surface: Surface
  /** who drove it */
  readonly driver: BeingName | null
  /** who lent it reach: its driver, unless the lease lent none */
  readonly lender: BeingName | null
}

/** What passing both gates yields: facts and wakes to commit, or nothing for a look. */
export interface Act {
  readonly kind: 'act'
  readonly facts: readonly FactDraft[]
  readonly wakes: readonly Wake[]
  readonly closes: readonly string[]
  readonly result: Json
  readonly specs: readonly RoleSpec[]
  /** what a look shows; null for everything else */
  readonly seen: (() => Promise<Descriptor>) | null
  /** null when all was taken as it was asked */
  readonly remark: Remark | null
  /** which rules decided, list first; then those that decided for the asker */
  readonly by: readonly string[]
}
