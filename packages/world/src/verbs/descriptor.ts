import {
  asJson,
  type Json,
  type JsonObject,
  matterReel,
  spaceAncestry,
  stanceOf,
  type Thread,
} from '@treeos/core'
import type { WorldReader } from '../read/reader.ts'
import type { OperationTarget } from '../read/target.ts'
import { isMarked } from '../rows/origin.ts'
import { withoutShadow } from '../rows/qualities.ts'
import {
  beingKey,
  type Coord,
  type MatterRow,
  type Row,
  type Size,
  type SpaceRow,
  spaceKey,
} from '../rows/rows.ts'
import type { Catalogs } from './catalogs.ts'

/** What SEE shows of an address: where it is, who and what is there, and its qualities. */
export interface Descriptor {
  readonly address: {
    readonly path: string
    readonly being: string | null
    /** the space and every space around it, outermost first */
    readonly chain: readonly string[]
  }
  /** stances of the beings in the space; of a being's space only for those who may see that space */
  readonly beings: readonly string[]
  /** paths of the spaces inside it; as `beings` */
  readonly children: readonly string[]
  /** addresses of the things in the space, or held by the being */
  readonly matters: readonly string[]
  /** makers of the being, nearest first */
  readonly beingLineage: readonly string[]
  readonly type: string
  readonly qualities: JsonObject
  readonly identity: {
    readonly cognition: string | null
    readonly defaultRole: string | null
    readonly home: string | null
    /** its driver; left out when it is not driven */
    readonly inhabitedBy?: string
    /** when it was paused, ISO 8601; left out while it is not */
    readonly paused?: string
    /** when it was ended, ISO 8601; left out while it lives */
    readonly ended?: string
  }
  /** only for a space: its owner, and its contributors */
  readonly owner?: string | null
  readonly contributors?: readonly string[]
  /** only for a space that has one */
  readonly size?: Size
  /** where it is in its space, if known */
  readonly coord?: Coord
  /** only for a thing */
  readonly content?: Json
  /** it holds words from outside that nobody vouched for; else left out */
  readonly outside?: true
  /** only where it does: the digest of what is there, by which a person vouches for it */
  readonly seen?: string
  /** only for the role manager */
  readonly catalogs?: Catalogs
}

interface DescriptorInputs {
  readonly reader: WorldReader
  /** hex digest of a JSON value */
  readonly digest: (value: Json) => string
}

/**
 * Describes a being, a space, a thing or a thread as it is now.
 * @param seesPlace of a being: whether who asks may see the space where it is
 * @param toPerson a person asks, who may vouch for a marked row: then all is shown that `seen` covers
 */
export async function describeReality(
  { reader, digest }: DescriptorInputs,
  target: OperationTarget,
  seesPlace: boolean,
  toPerson = false,
): Promise<Descriptor> {
  if (target.kind === 'thread') return describeThread(target.thread)
  if (target.kind === 'matter')
    return { ...(await describeMatter(reader, target.matter)), ...operationOrigin(target.matter, digest) }
  const path = target.kind === 'being' ? target.being.space : target.space.path
  const being = target.kind === 'being' ? target.being : null
  const space = await reader.space(path)
  const lineage = being === null ? [] : await reader.lineage(being.name)
  const showsPlace = being === null || seesPlace
  const { qualities = {} } = being ?? space ?? {}
  reader.reads(being === null ? spaceKey(path) : beingKey(being.name))
  return {
    address: {
      path,
      being: being === null ? null : stanceOf(being.name),
      chain: spaceAncestry(path).reverse(),
    },
    beings: showsPlace ? (await reader.occupants(path)).map(stanceOf) : [],
    children: showsPlace ? await reader.childSpaces(path) : [],
    matters: (await reader.matters(being === null ? path : stanceOf(being.name))).map(matterReel),
    beingLineage: lineage.map((maker) => stanceOf(maker.name)),
    type: being === null ? (space?.type ?? 'unknown') : 'being',
    qualities: toPerson && isMarked(being ?? space) ? qualities : withoutShadow(qualities),
    identity: {
      cognition: being?.cognition.kind ?? null,
      defaultRole: being?.defaultRole ?? null,
      home: being?.home ?? null,
      ...(being?.inhabited?.by == null ? {} : { inhabitedBy: stanceOf(being.inhabited.by) }),
      ...(being?.paused === undefined ? {} : { paused: new Date(being.paused).toISOString() }),
      ...(being?.ended === undefined ? {} : { ended: new Date(being.ended).toISOString() }),
    },
    ...extentOf(being ?? space ?? {}),
    ...(being === null && space !== null ? ownersOf(space) : {}),
    ...operationOrigin(being ?? space, digest),
  }
}

const operationOrigin = (
  row: Row | null,
  digest: DescriptorInputs['digest'],
): Pick<Descriptor, 'outside' | 'seen'> =>
  row !== null && isMarked(row) ? { outside: true, seen: digest(asJson(row)) } : {}

const extentOf = ({ size, coord }: { size?: Size; coord?: Coord }): Pick<Descriptor, 'size' | 'coord'> => ({
  ...(size === undefined ? {} : { size }),
  ...(coord === undefined ? {} : { coord }),
})

const ownersOf = ({ owner, contributors = [] }: SpaceRow): Pick<Descriptor, 'owner' | 'contributors'> => ({
  owner: owner === null ? null : stanceOf(owner),
  contributors: contributors.map(stanceOf),
})

async function describeMatter(
  reader: WorldReader,
  { type, owner, place, content, qualities, coord }: MatterRow,
): Promise<Descriptor> {
  const holder = place?.startsWith('@') ? place : null
  const path = holder === null ? (place ?? '/') : ((await reader.being(holder.slice(1)))?.space ?? '/')
  return {
    address: { path, being: holder, chain: spaceAncestry(path).reverse() },
    beings: [],
    children: [],
    matters: [],
    beingLineage: [stanceOf(owner)],
    type,
    qualities,
    identity: { cognition: null, defaultRole: null, home: null },
    ...(coord === undefined ? {} : { coord }),
    content,
  }
}

function describeThread(thread: Thread): Descriptor {
  const { participants, unanswered: _own, notices: _told, ...rest } = thread
  return {
    address: { path: '/', being: null, chain: [] },
    beings: participants.map(stanceOf),
    children: [],
    matters: [],
    beingLineage: [],
    type: 'thread',
    qualities: asJson({ ...rest, participants: participants.map(stanceOf) }),
    identity: { cognition: null, defaultRole: null, home: null },
  }
}
