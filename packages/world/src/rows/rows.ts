import type {
  BeingName,
  Breach,
  Budget,
  Caller,
  Cognition,
  Digest,
  Json,
  JsonObject,
  MatterId,
  MomentId,
  RoleName,
  SpacePath,
  VerbCall,
} from '@treeos/core'
import type { CanLists } from '@treeos/roles'

/** Size of a space along each axis, in positive whole numbers: coords go from 0 to size - 1. */
export interface Size {
  readonly x: number
  readonly y: number
  readonly z: number
}
/** A place in a space that has a size, in whole numbers. */
export type Coord = Size

export type KeyPath = readonly string[]

/** The whole row, or paths of its qualities or of its signals, none of them within another. */
export type OutsideMarks = true | readonly KeyPath[]

/**
 * A row of which a part was written in a moment that held words from outside, and which no person has vouched
 * for since.
 */
export interface OutsideMark {
  readonly outside?: OutsideMarks
}

/** Why a legal hold is on a row, and since when: ms since 1970 UTC. */
export interface LegalHold {
  readonly why: string
  readonly at: number
}

/** A row that legal holds may be on. While one is, none of its facts can be erased. */
interface UnderHold {
  /** by name; absent while there is none */
  readonly holds?: Readonly<Record<string, LegalHold>>
}

/** A row caches the fold of one reel. A row that is deleted and folded again is the same to the byte. */
export interface BeingRow extends OutsideMark, UnderHold {
  readonly name: BeingName
  /** its maker; null for the first operator only */
  readonly parent: BeingName | null
  readonly cognition: { readonly kind: Cognition; readonly script: string | null }
  readonly defaultRole: RoleName | null
  readonly home: SpacePath
  readonly space: SpacePath
  /** where it is in its space; absent until it says so, and again after it enters another space */
  readonly coord?: Coord
  /** `roleFlow`, and what extensions keep by namespace */
  readonly qualities: JsonObject
  /** who set its `roleFlow`: itself or a maker; absent until somebody did */
  readonly flowBy?: string
  /** literals and patterns: no stack of this being may exceed them; null adds no bound */
  readonly ceiling: CanLists | null
  /** ms since 1970 UTC */
  readonly bornAt: number
  /** what it and its offspring may use up; absent until a maker has set one */
  readonly budget?: Partial<Budget> & {
    /** counts the changes of the budget, from 1; a budget without limits bounds nothing */
    readonly revision: number
  }
  /**
   * the limit that its last moment met, until it is unparked; the SQL function `is_parked` tells whether it
   * still holds
   */
  readonly parked?: Breach
  /**
   * when it was paused, ms since 1970 UTC; absent while it is not: it then lives no moment of its own, and
   * its inbox fills
   */
  readonly paused?: number
  /**
   * when it was ended, ms since 1970 UTC; absent while it lives. Its name stays taken, and it acts no more.
   */
  readonly ended?: number
  /** the last lease taken on it; absent until the first */
  readonly inhabited?: RowLease
}

/** The lease under which another being drives this one. */
export interface RowLease {
  /** counts the leases, from 1 */
  readonly epoch: number
  /** the driver; null when the lease is over */
  readonly by: BeingName | null
  /** the driver's own epoch, when the driver was driven itself as it took the lease */
  readonly under: number | null
  /** true: the driver lends none of its reach, so the being acts by its own; absent: it lends it */
  readonly own?: true
}

export interface SpaceRow extends OutsideMark, UnderHold {
  readonly path: SpacePath
  readonly name: string
  readonly type: string
  readonly owner: BeingName | null
  /** beings that the owner lets take part, sorted; absent while there are none */
  readonly contributors?: readonly BeingName[]
  /** absent: nothing in this space has a coord */
  readonly size?: Size
  /** where it is in the space around it */
  readonly coord?: Coord
  readonly qualities: JsonObject
  readonly createdAt: number
}

/** All signals of one namespace, nested by the dots of their keys. */
export interface WorldRow extends OutsideMark {
  readonly namespace: string
  /** the first being that published here; it, its makers and the first operator say who else publishes */
  readonly owner: string
  /** beings that the owner lets publish, sorted; absent while there are none */
  readonly publishers?: readonly BeingName[]
  readonly values: JsonObject
}

export interface RoleRow extends OutsideMark {
  readonly name: RoleName
  /** of the spec, which is kept by digest, so that an edit changes no older moment */
  readonly digest: Digest
  /** `seed`, an extension's name, or `live` */
  readonly origin: string
  readonly author: string
  readonly requiredCognition: Cognition | null
  /** left out where the author left it out */
  readonly triggerOn?: readonly string[]
  readonly deleted: boolean
  readonly at: number
}

/** A thing: it lies in a space, or a being holds it. Its maker chose the word for its type. */
export interface MatterRow extends OutsideMark, UnderHold {
  readonly id: MatterId
  readonly type: string
  /** its owner, wherever it lies */
  readonly owner: BeingName
  /** path of a space, or the stance of the being that holds it; null once it is ended */
  readonly place: SpacePath | string | null
  /** where it lies in its space; absent when nobody said so */
  readonly coord?: Coord
  /** where its content comes from: `owned` is the only origin so far, and can be written */
  readonly origin: 'owned'
  readonly content: Json
  readonly qualities: JsonObject
  readonly createdAt: number
}

/** A thread that was cut; other threads have no row. */
export interface ThreadRow {
  readonly thread: string
  readonly cutBy: BeingName
  readonly at: number
}

/** A rule that asks persons about a call: who may say yes, and how many yeses it needs. */
export interface AskedOf {
  /** address of the rule */
  readonly by: string
  /** sorted */
  readonly who: readonly BeingName[]
  readonly count: number
}

/** Digests of all that a yes holds for. One that has changed voids it. */
export interface Ties {
  readonly call: Digest
  /** the roles that were worn: names and specs */
  readonly roles: Digest
  /** the ceilings of the being and of its makers */
  readonly ceilings: Digest
  /** the rules that decide about the call, and whom they ask */
  readonly rules: Digest
  /** the lease under which a person drove the being; null without one */
  readonly lease: Digest
  /** the operation as the loaded code describes it; null for a summon */
  readonly operation: Digest | null
}

/** How an approval stands. Nothing leaves the last four. */
export type ApprovalState = 'open' | 'given' | 'denied' | 'expired' | 'used' | 'voided'

/** A call that rules asked about, and what persons answered. Its id is that of the moment that asked. */
export interface ApprovalRow {
  readonly id: MomentId
  readonly asker: BeingName
  /** as it was asked, or as a person changed it */
  readonly call: VerbCall
  /** counts the calls that it was, from 1: a yes names the one that it is to */
  readonly revision: number
  /** the nearest person of the asker's line, who answers for how much it asks; null without one */
  readonly person: BeingName | null
  /** of its thread */
  readonly root: string
  /** what the call is done to, as the rules were asked about it */
  readonly target: string
  readonly rules: readonly AskedOf[]
  readonly ties: Ties
  /** the roles that were worn, the primary first */
  readonly roles: readonly RoleName[]
  /**
   * the wake of the moment that asked, and as its open record says: its caller, what it is to answer and the
   * role that was asked for
   */
  readonly wake: string
  readonly caller: Caller | null
  readonly question: string | null
  readonly askedRole: RoleName | null
  readonly lease: { readonly driver: BeingName; readonly epoch: number } | null
  /** the moment that asked held words from outside; left out when it held none */
  readonly fromOutside?: true
  /** ms since 1970 UTC */
  readonly at: number
  readonly expiresAt: number
  /** who said yes, and when */
  readonly given: readonly { readonly by: BeingName; readonly at: number }[]
  readonly state: ApprovalState
}

/** Acts that a count of a rule counts together. */
export interface TallyRow {
  readonly total: number
  /** of all of them, by argument */
  readonly sums: Readonly<Record<string, number>>
  /**
   * the last of them, in the order of their facts: when their moments opened, and the arguments that rules
   * sum
   */
  readonly recent: readonly { readonly at: number; readonly amounts: Readonly<Record<string, number>> }[]
  /** the latest time of those before; null while there are none */
  readonly droppedAt: number | null
  /**
   * the latest time of one that was done: others may have happened outside, and their moments failed; null
   * without one
   */
  readonly doneAt: number | null
}

/** Rows by the kind that their keys begin with. */
interface Rows {
  readonly being: BeingRow
  readonly space: SpaceRow
  readonly world: WorldRow
  readonly role: RoleRow
  readonly thread: ThreadRow
  readonly matter: MatterRow
  readonly approval: ApprovalRow
  readonly tally: TallyRow
}
export type RowKind = keyof Rows
export type Row = Rows[RowKind]
export type RowKey<Kind extends RowKind = RowKind> = `${Kind}:${string}`
/** The type of the row under a key; any row, where the type of the key does not name its kind. */
export type RowOf<Key extends string> = Key extends RowKey<infer Kind> ? Rows[Kind] : Row

export const beingKey = (name: BeingName) => `being:${name}` as const
export const spaceKey = (path: SpacePath) => `space:${path}` as const
export const worldKey = (namespace: string) => `world:${namespace}` as const
export const matterKey = (id: MatterId) => `matter:${id}` as const
export const approvalKey = (id: MomentId) => `approval:${id}` as const
export const threadKey = (thread: string) => `thread:${thread}` as const
export const roleKey = (name: RoleName) => `role:${name}` as const

/** A row with the kind that its key tells: `switch` on the kind to know the type of the row. */
export type KindedRow = { readonly [K in RowKind]: { readonly kind: K; readonly row: Rows[K] } }[RowKind]
export const withKind = (key: string, row: Row): KindedRow =>
  ({ kind: key.slice(0, key.indexOf(':')), row }) as KindedRow
