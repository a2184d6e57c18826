import {
  type BeingName,
  type FactDraft,
  fromJson,
  HOLD_LIFTED,
  HOLD_SET,
  isJsonObject,
  type Json,
  type JsonObject,
  REGISTRY_REEL,
  spaceName,
} from '@treeos/core'
import { asked, endsAs, given } from './approvals.ts'
import { budgeted, parkedBy, unparked } from './budgets.ts'
import { inhabited, released } from './inhabitation.ts'
import { marksAfter, marksOf, OUTSIDE, VOUCHED } from './origin.ts'
import { setAtPath } from './qualities.ts'
import {
  type ApprovalRow,
  type BeingRow,
  type Coord,
  type MatterRow,
  type OutsideMark,
  type OutsideMarks,
  type RoleRow,
  type Row,
  roleKey,
  type Size,
  type SpaceRow,
  type TallyRow,
  type ThreadRow,
  type WorldRow,
} from './rows.ts'
import { COUNTED_KIND, counted } from './tallies.ts'

/** The parts of a fact that evolve reads. `at` is the open time of its moment. */
export interface RowChange extends FactDraft {
  readonly actor: string
  readonly at: number
}

/**
 * The key of the row that a fact changes; null for a fact that changes none (speech, arrivals, facts of
 * extensions).
 */
export function rowKeyOf(fact: Pick<FactDraft, 'reel' | 'kind' | 'payload'>): string | null {
  const kinds = KINDS.get(fact.kind)
  if (kinds === undefined) return null
  return fact.reel === REGISTRY_REEL ? roleKey(String(fact.payload.name)) : fact.reel
}

/**
 * Folds one fact into its row. Pure and total: the same reel gives the same row on every machine.
 * @returns the row after the fact; the row unchanged when the fact changes none
 */
export function evolve(row: Row | null, change: RowChange): Row | null {
  const apply = KINDS.get(change.kind)
  if (apply === undefined) return row
  const { onBehalfOf } = change.payload // the asker is the actor of what was done for it
  const after = apply(row, typeof onBehalfOf === 'string' ? { ...change, actor: onBehalfOf } : change)
  return after === null ? null : remarked(after, marksAfter(marksOf(row), change))
}

function remarked(row: Row, marks: OutsideMarks | undefined): Row {
  if (marks === marksOf(row)) return row
  const { outside: _was, ...rest } = row as Row & OutsideMark
  return (marks === undefined ? rest : { ...rest, outside: marks }) as Row
}

type RowEvolver = (row: Row | null, change: RowChange) => Row | null

/** A fact that makes its row, or replaces it. */
const makes =
  <R extends Row>(apply: (change: RowChange, old: R | null) => R): RowEvolver =>
  (row, change) =>
    apply(change, row as R | null)

/**
 * A fact that changes a row; a row that is not there stays so. The reel of the fact says which kind of row it
 * is.
 */
const changes =
  <R extends Row>(apply: (row: R, change: RowChange) => R): RowEvolver =>
  (row, change) =>
    row === null ? null : apply(row as R, change)

const KINDS = new Map<string, RowEvolver>([
  ['being:born', makes(bornBeing)],
  [
    'being:moved',
    changes<BeingRow>((row, { payload }) => ({ ...placed(row, payload), space: String(payload.to) })),
  ],
  ['being:budgeted', changes<BeingRow>((row, { payload }) => budgeted(row, payload))],
  [
    'being:bounded',
    changes<BeingRow>((row, { payload }) => ({
      ...row,
      ceiling: fromJson<Pick<BeingRow, 'ceiling'>>(payload).ceiling,
    })),
  ],
  [
    'being:role-set',
    changes<BeingRow>((row, { payload }) => ({ ...row, defaultRole: String(payload.role) })),
  ],
  ['being:parked', changes<BeingRow>((row, { payload }) => parkedBy(row, payload))],
  ['being:inhabited', changes<BeingRow>((row, { payload }) => inhabited(row, payload))],
  ['being:released', changes(released)],
  ['being:unparked', changes(unparked)],
  ['being:paused', changes<BeingRow>((row, { at }) => ({ ...row, paused: at }))],
  ['being:resumed', changes<BeingRow>(({ paused: _over, ...row }) => row)],
  ['being:ended', changes<BeingRow>((row, { at }) => ({ ...row, ended: at }))],
  ['quality:set', changes(withQuality)],
  ['space:created', makes(created)],
  ['space:resized', changes(resized)],
  ['space:contributor-added', changes<SpaceRow>((row, { payload }) => contributed(row, payload, true))],
  ['space:contributor-removed', changes<SpaceRow>((row, { payload }) => contributed(row, payload, false))],
  ['signal:published', makes(published)],
  ['signal:granted', makes<WorldRow>((change, old) => granted(change, old, true))],
  ['signal:revoked', makes<WorldRow>((change, old) => granted(change, old, false))],
  ['role:set', makes(roleSet)],
  ['matter:created', makes(matterCreated)],
  [
    'matter:moved',
    changes<MatterRow>((row, { payload }) => ({ ...placed(row, payload), place: String(payload.to) })),
  ],
  [
    'matter:written',
    changes<MatterRow>((row, { payload }) => ({ ...row, content: payload.content ?? null })),
  ],
  ['matter:ended', changes<MatterRow>((row) => ({ ...row, place: null }))],
  [
    'thread:cut',
    makes<ThreadRow>(({ payload, actor, at }) => ({ thread: String(payload.thread), cutBy: actor, at })),
  ],
  ['approval:asked', makes<ApprovalRow>((change, old) => old ?? asked(change))],
  ['approval:given', changes<ApprovalRow>(given)],
  ['approval:denied', changes<ApprovalRow>(endsAs('open', 'denied'))],
  ['approval:expired', changes<ApprovalRow>(endsAs('open', 'expired'))],
  ['approval:used', changes<ApprovalRow>(endsAs('given', 'used'))],
  ['approval:voided', changes<ApprovalRow>(endsAs('given', 'voided'))],
  [COUNTED_KIND, makes<TallyRow>(counted)],
  ['role:deleted', changes<RoleRow>((row, { at }) => ({ ...row, deleted: true, at }))],
  [HOLD_SET, changes<HeldRow>(held)],
  [HOLD_LIFTED, changes<HeldRow>(lifted)],
  [OUTSIDE, changes((row) => row)],
  [VOUCHED, changes((row) => row)],
])

type HeldRow = BeingRow | SpaceRow | MatterRow

function held<R extends HeldRow>(row: R, { payload, at }: RowChange): R {
  return { ...row, holds: { ...row.holds, [String(payload.name)]: { why: String(payload.why), at } } }
}

function lifted<R extends HeldRow>({ holds, ...row }: R, { payload }: RowChange): R {
  const { [String(payload.name)]: _over, ...rest } = holds ?? {}
  return (Object.keys(rest).length === 0 ? row : { ...row, holds: rest }) as R
}

function bornBeing({ payload, at }: RowChange): BeingRow {
  const row = fromJson<Omit<BeingRow, 'bornAt' | 'space'>>(payload)
  return {
    ...row,
    ...(Object.hasOwn(row.qualities, FLOW) ? { flowBy: row.parent ?? row.name } : {}),
    space: String(payload.home),
    bornAt: at,
  }
}

/** The quality that holds the flow of a being. */
const FLOW = 'roleFlow'

function matterCreated({ payload, at }: RowChange): MatterRow {
  return {
    ...fromJson<Omit<MatterRow, 'origin' | 'createdAt'>>(payload),
    origin: 'owned',
    createdAt: at,
  }
}

function created({ payload, at }: RowChange): SpaceRow {
  const { owner, size, coord, qualities } = fromJson<Partial<SpaceRow>>(payload)
  const path = String(payload.path)
  return {
    path,
    name: spaceName(path),
    type: String(payload.type),
    owner: owner ?? null,
    ...(size === undefined ? {} : { size }),
    ...(coord === undefined ? {} : { coord }),
    qualities: qualities ?? {},
    createdAt: at,
  }
}

/** Takes the new coord, or none: the old one was in the place before. */
function placed<R extends BeingRow | MatterRow>(
  { coord: _was, ...rest }: R,
  payload: JsonObject,
): Omit<R, 'coord'> & { coord?: Coord } {
  const { coord } = fromJson<{ coord?: Coord }>(payload)
  return coord === undefined ? rest : { ...rest, coord }
}

function resized({ size: _was, ...rest }: SpaceRow, { payload }: RowChange): SpaceRow {
  return isJsonObject(payload.size) ? { ...rest, size: fromJson<Size>(payload.size) } : rest
}

function contributed(row: SpaceRow, { being }: JsonObject, isIn: boolean): SpaceRow {
  const { contributors, ...rest } = row
  const now = withMember(contributors, String(being), isIn)
  return now.length === 0 ? rest : { ...rest, contributors: now }
}

function withMember(members: readonly string[] = [], member: string, isIn: boolean): string[] {
  const others = members.filter((name) => name !== member)
  return isIn ? [...others, member].sort() : others
}

interface QualitySet {
  readonly path: readonly string[]
  /** operations of extensions may leave it, and `merge`, out */
  readonly value?: Json
  readonly merge?: boolean
}

function withQuality<R extends BeingRow | SpaceRow | MatterRow>(
  row: R,
  { reel, payload, actor }: RowChange,
): R {
  const { path, value = null, merge } = fromJson<QualitySet>(payload)
  const isFlow = path[0] === FLOW && reel.startsWith('being:')
  return {
    ...row,
    qualities: setAtPath(row.qualities, path, value, merge !== false),
    ...(isFlow ? { flowBy: actor } : {}),
  }
}

interface SignalPublished {
  readonly namespace: string
  readonly key: readonly string[]
  readonly value?: Json
  readonly owner?: string
}

function published({ payload, actor }: RowChange, old: WorldRow | null): WorldRow {
  const { namespace, key, value = null, owner } = fromJson<SignalPublished>(payload)
  return {
    ...namespaceAfter({ namespace, owner, actor }, old),
    values: setAtPath(old?.values ?? {}, key, value, false),
  }
}

function granted({ payload, actor }: RowChange, old: WorldRow | null, isIn: boolean): WorldRow {
  const { namespace, being, owner } = fromJson<{ namespace: string; being: BeingName; owner?: string }>(
    payload,
  )
  const { publishers, ...rest } = namespaceAfter({ namespace, owner, actor }, old)
  const now = withMember(publishers, being, isIn)
  return now.length === 0 ? rest : { ...rest, publishers: now }
}

/** The first being that publishes or grants a namespace owns it, unless the fact names another. */
const namespaceAfter = (
  { namespace, owner, actor }: { namespace: string; owner: string | undefined; actor: string },
  old: WorldRow | null,
): WorldRow => old ?? { namespace, owner: owner ?? actor, values: {} }

/** A role stays its first author's, whoever of its makers edits it. */
function roleSet({ payload, actor, at }: RowChange, old: RoleRow | null): RoleRow {
  const { requiredCognition = null, triggerOn } = isJsonObject(payload.spec)
    ? fromJson<Partial<RoleRow>>(payload.spec)
    : {}
  return {
    name: String(payload.name),
    digest: String(payload.digest),
    origin: String(payload.origin),
    author: old?.author ?? actor,
    requiredCognition,
    ...(Array.isArray(triggerOn) ? { triggerOn } : {}),
    deleted: false,
    at,
  }
}
