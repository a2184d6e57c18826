import {
  type FactDraft,
  isJsonObject,
  type Json,
  type JsonObject,
  REGISTRY_REEL,
  spaceName,
} from '@treeos/core'
import { budgeted, parkedBy, resumed } from './budgets.ts'
import { inhabited, released } from './inhabiting.ts'
import { setQuality } from './qualities.ts'
import {
  type BeingRow,
  type Coord,
  type MatterRow,
  type RoleRow,
  type Row,
  roleKey,
  type Size,
  type SpaceRow,
  type WorldRow,
} from './rows.ts'

/** What evolve needs of a fact; `at` is the open time of the moment it belongs to. */
export interface Change extends FactDraft {
  readonly actor: string
  readonly at: number
}

/** The row that a fact changes, or null for a fact that changes none (speech, arrivals, what extensions record). */
export function rowKeyOf(fact: Pick<FactDraft, 'reel' | 'kind' | 'payload'>): string | null {
  const kinds = KINDS.get(fact.kind)
  if (kinds === undefined) return null
  return fact.reel === REGISTRY_REEL ? roleKey(String(fact.payload.name)) : fact.reel
}

/**
 * Folds one fact into its row. Pure and total: the same reel gives the same row on every machine.
 * @returns the row after the fact; the row unchanged when the fact changes none
 */
export function evolve(row: Row | null, change: Change): Row | null {
  const apply = KINDS.get(change.kind)
  if (apply === undefined) return row
  const { onBehalfOf } = change.payload // what is done for an asker is the asker's
  return apply(row, typeof onBehalfOf === 'string' ? { ...change, actor: onBehalfOf } : change)
}

type Apply = (row: Row | null, change: Change) => Row | null
const KINDS = new Map<string, Apply>([
  ['being:born', (_, { payload, at }) => born(payload, at)],
  ['being:moved', (row, { payload }) => row && ({ ...placed(row, payload), space: payload.to } as BeingRow)],
  ['being:budgeted', (row, { payload }) => row && budgeted(row as BeingRow, payload)],
  ['being:parked', (row, { payload }) => row && parkedBy(row as BeingRow, payload)],
  ['being:inhabited', (row, { payload }) => row && inhabited(row as BeingRow, payload)],
  ['being:released', (row) => row && released(row as BeingRow)],
  ['being:resumed', (row) => row && resumed(row as BeingRow)],
  ['quality:set', (row, { payload }) => row && withQuality(row as BeingRow | SpaceRow | MatterRow, payload)],
  ['space:created', (_, change) => created(change)],
  ['space:resized', (row, { payload }) => row && resized(row as SpaceRow, payload)],
  ['space:contributor-added', (row, { payload }) => row && contributed(row as SpaceRow, payload, true)],
  ['space:contributor-removed', (row, { payload }) => row && contributed(row as SpaceRow, payload, false)],
  ['signal:published', (row, change) => published(row as WorldRow | null, change)],
  ['role:set', (row, change) => roleSet(row as RoleRow | null, change)],
  [
    'matter:created',
    (_, { payload, at }) => ({ ...payload, origin: 'owned', createdAt: at }) as unknown as MatterRow,
  ],
  [
    'matter:moved',
    (row, { payload }) => row && ({ ...placed(row, payload), place: payload.to } as MatterRow),
  ],
  ['matter:written', (row, { payload }) => row && ({ ...row, content: payload.content } as MatterRow)],
  ['matter:ended', (row) => row && ({ ...row, place: null } as MatterRow)],
  ['thread:cut', (_, { payload, actor, at }) => ({ thread: String(payload.thread), cutBy: actor, at })],
  ['role:deleted', (row, { at }) => row && ({ ...row, deleted: true, at } as RoleRow)],
])

function born(payload: JsonObject, at: number): BeingRow {
  return {
    ...(payload as unknown as Omit<BeingRow, 'bornAt' | 'space'>),
    space: String(payload.home),
    bornAt: at,
  }
}

function created({ payload, at }: Change): SpaceRow {
  const path = String(payload.path)
  return {
    path,
    name: spaceName(path),
    type: String(payload.type),
    owner: (payload.owner ?? null) as string | null,
    ...(payload.size === undefined ? {} : { size: payload.size as unknown as Size }),
    ...(payload.coord === undefined ? {} : { coord: payload.coord as unknown as Coord }),
    qualities: (payload.qualities ?? {}) as JsonObject,
    createdAt: at,
  }
}

/** Who goes elsewhere is no longer where it was in the place before. */
function placed(row: Row, { coord }: JsonObject): Omit<BeingRow | MatterRow, 'space' | 'place'> {
  const { coord: _was, ...rest } = row as BeingRow | MatterRow
  return coord === undefined ? rest : { ...rest, coord: coord as unknown as Coord }
}

function resized(row: SpaceRow, { size }: JsonObject): SpaceRow {
  const { size: _was, ...rest } = row
  return isJsonObject(size) ? { ...rest, size: size as unknown as Size } : rest
}

function contributed(row: SpaceRow, { being }: JsonObject, isIn: boolean): SpaceRow {
  const { contributors = [], ...rest } = row
  const others = contributors.filter((name) => name !== being)
  const now = isIn ? [...others, String(being)].sort() : others
  return now.length === 0 ? rest : { ...rest, contributors: now }
}

function withQuality<R extends BeingRow | SpaceRow | MatterRow>(row: R, payload: JsonObject): R {
  return {
    ...row,
    qualities: setQuality(
      row.qualities,
      payload.path as string[],
      payload.value as Json,
      payload.merge !== false,
    ),
  }
}

function published(row: WorldRow | null, { payload, actor }: Change): WorldRow {
  const values = row?.values ?? {}
  return {
    namespace: String(payload.namespace),
    owner: row?.owner ?? (typeof payload.owner === 'string' ? payload.owner : actor),
    values: setQuality(values, payload.key as string[], payload.value as Json, false),
  }
}

/** A role stays its first author's, whoever of its makers edits it. */
function roleSet(old: RoleRow | null, { payload, actor, at }: Change): RoleRow {
  const spec = isJsonObject(payload.spec) ? payload.spec : {}
  return {
    name: String(payload.name),
    digest: String(payload.digest),
    origin: String(payload.origin),
    author: old?.author ?? actor,
    requiredCognition: (spec.requiredCognition ?? null) as RoleRow['requiredCognition'],
    ...(Array.isArray(spec.triggerOn) ? { triggerOn: spec.triggerOn as string[] } : {}),
    deleted: false,
    at,
  }
}
