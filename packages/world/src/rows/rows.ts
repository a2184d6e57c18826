import type {
  BeingName,
  Breach,
  Budget,
  Cognition,
  Digest,
  Json,
  JsonObject,
  MatterId,
  RoleName,
  SpacePath,
} from '@treeos/core'
import type { Surface as CanLists } from '@treeos/roles'

/** How far a space reaches along each axis: places from 0 up to it, itself left out. Positive whole numbers. */
export interface Size {
  readonly x: number
  readonly y: number
  readonly z: number
}
/** A place in a space that has a size. Whole numbers. */
export type Coord = Size

/** Rows are caches of the fold of one reel: delete one, refold, and it is the same to the byte. */
export interface BeingRow {
  readonly name: BeingName
  /** its maker; null only for the first operator */
  readonly parent: BeingName | null
  readonly cognition: { readonly kind: Cognition; readonly script: string | null }
  readonly defaultRole: RoleName | null
  readonly home: SpacePath
  readonly space: SpacePath
  /** where in its space; absent until it says so, and after it went into another */
  readonly coord?: Coord
  /** `roleFlow` and whatever extensions keep, by namespace */
  readonly qualities: JsonObject
  /** literals and patterns that no stack of this being may exceed; null adds no bound */
  readonly ceiling: CanLists | null
  /** ms since 1970 UTC */
  readonly bornAt: number
  /** what it and its offspring may use up; absent until a maker has set one */
  readonly budget?: Partial<Budget> & {
    /** counts its changes, from 1; without any limit it bounds nothing any more */
    readonly revision: number
  }
  /** the limit that its last moment met, until it is resumed; whether it still holds, {@link isParked} tells */
  readonly parked?: Breach
  /** of the last lease that was taken on it; absent until the first */
  readonly inhabited?: Inhabited
}

/** Who drives a being in place of its own mind. */
export interface Inhabited {
  /** counts the leases, from 1 */
  readonly epoch: number
  /** null when the lease is over */
  readonly by: BeingName | null
  /** the driver's own epoch, when it was itself driven as it took the lease */
  readonly under: number | null
  /** the driver lends none of its reach: the being acts by its own; absent where it lends it */
  readonly own?: true
}

export interface SpaceRow {
  readonly path: SpacePath
  readonly name: string
  readonly type: string
  readonly owner: BeingName | null
  /** whom the owner lets take part, sorted; absent while there are none */
  readonly contributors?: readonly BeingName[]
  /** absent of a space in which nothing has a coord */
  readonly size?: Size
  /** where in the space around it */
  readonly coord?: Coord
  readonly qualities: JsonObject
  readonly createdAt: number
}

/** All signals of one namespace, nested by the dots of their keys. */
export interface WorldRow {
  readonly namespace: string
  /** whoever published here first; only it, its makers and the first operator may */
  readonly owner: string
  readonly values: JsonObject
}

export interface RoleRow {
  readonly name: RoleName
  /** of the spec, which is kept by digest: an edit changes no older moment */
  readonly digest: Digest
  /** `seed`, an extension's name, or `live` */
  readonly origin: string
  readonly author: string
  readonly requiredCognition: Cognition | null
  /** left out where its author did */
  readonly triggerOn?: readonly string[]
  readonly deleted: boolean
  readonly at: number
}

/** A thing: it lies in a space, or a being holds it. Its type is a word of whoever made it. */
export interface MatterRow {
  readonly id: MatterId
  readonly type: string
  /** whose it is, wherever it lies */
  readonly owner: BeingName
  /** path of a space, or the stance of whoever holds it; null once it is ended */
  readonly place: SpacePath | string | null
  /** where in the space it lies in, if whoever laid it there said so */
  readonly coord?: Coord
  /** where its content comes from; only what is owned by the world itself can be written in it */
  readonly origin: 'owned'
  readonly content: Json
  readonly qualities: JsonObject
  readonly createdAt: number
}

/** Of a thread that was cut, and of no other. */
export interface ThreadRow {
  readonly thread: string
  readonly cutBy: BeingName
  readonly at: number
}

/** Rows by the kind that their keys begin with. */
interface Rows {
  readonly being: BeingRow
  readonly space: SpaceRow
  readonly world: WorldRow
  readonly role: RoleRow
  readonly thread: ThreadRow
  readonly matter: MatterRow
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
export const threadKey = (thread: string) => `thread:${thread}` as const
export const roleKey = (name: RoleName) => `role:${name}` as const

/** A row with the kind that its key tells: `switch` on the kind to know the type of the row. */
export type KindedRow = { readonly [K in RowKind]: { readonly kind: K; readonly row: Rows[K] } }[RowKind]
export const withKind = (key: string, row: Row): KindedRow =>
  ({ kind: key.slice(0, key.indexOf(':')), row }) as KindedRow
