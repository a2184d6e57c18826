import {
  type BeingName,
  type Digest,
  fromJson,
  isJsonObject,
  type Json,
  parseStance,
  REGISTRY_REEL,
  type RoleName,
  stanceOf,
  TreeosError,
  unknownRole,
} from '@treeos/core'
import { listRowsOf, readerOf, readSpec } from '@treeos/reality'
import { type CompleteRole, flowRoles, type RoleSpec, withDefaults } from '@treeos/roles'
import {
  catalogRowsOf,
  countNamedRoles,
  type Db,
  findAddresses,
  listBeingsNaming,
  listFactsMentioning,
  listNamesLike,
  listOutcomes,
} from '@treeos/store'
import {
  type BeingRow,
  beingKey,
  type Choices,
  choicesOf,
  type Registry,
  ROLE_MANAGER,
  type RoleRow,
  rolesNamed,
} from '@treeos/world'
import { mayReadPast, type OpenPasts, pastsFor, pastsOpenTo } from '../access/past-access.ts'
import {
  type BeingSnapshot,
  type SeeConnection,
  unlessRefused,
  withSnapshot,
} from '../beings/being-snapshot.ts'
import { type RoleView, roles } from './roles.ts'

type RoleEntry = Choices['roles'][number]

/** A role as the catalog of the role manager lists it, with who wrote it and how many beings name it. */
export interface ListedRole extends RoleEntry {
  /** stance of who wrote it; null for what an extension brought */
  readonly author: string | null
  /** when it was written last, or deleted; ISO 8601, UTC */
  readonly at: string
  /** how many living beings name it in their flow or as their default */
  readonly users: number
  /** true: its author deleted it, and may write it again */
  readonly deleted: boolean
}

/** All that authors of roles and flows choose from. Addresses are searched for, see `addresses`. */
export interface AuthoringCatalog extends Omit<Choices, 'roles'> {
  readonly roles: readonly ListedRole[]
  /** see-resolvers */
  readonly see: readonly string[]
  readonly relations: readonly string[]
  readonly resolvers: readonly string[]
  /** signals that extensions declare, as flows read them */
  readonly signals: readonly string[]
}

/**
 * The catalogs of the role manager, as its SEE entry shows them to a being, without addresses, and the names
 * that extensions of this reality bring. Of deleted roles only those whose author's past is open to the
 * being.
 * @throws {TreeosError} as `see`: FORBIDDEN for a being that may not see the role manager
 */
export async function authoring(at: SeeConnection, as: BeingName): Promise<AuthoringCatalog> {
  const catalogs = await withSnapshot(at, as, (snapshot) => choicesIn(snapshot, at.registry))
  const [rows, users] = await Promise.all([rowsOf(at.db), countNamedRoles(at.db)])
  const listed = new Map(catalogs.roles.map((role) => [role.name, role]))
  const isOpen = pastsOpenTo(at, as)
  const roles: ListedRole[] = []
  for (const row of rows) {
    const entry = listed.get(row.name)
    const isShown = row.deleted ? isLive(row) && (await isOpen(row.author)) : entry !== undefined
    if (!isShown) continue
    roles.push({ ...(entry ?? gone(row)), ...authorOf(row), users: users.get(row.name) ?? 0 })
  }
  return { ...catalogs, roles, ...namesOf(at.registry) }
}

/**
 * The first addresses that hold a text, of those that the catalogs of the role manager show to a being.
 * @throws {TreeosError} as `authoring`
 */
export const addresses = (
  at: SeeConnection,
  as: BeingName,
  wanted: { readonly text: string; readonly of: 'beings' | 'all'; readonly limit: number },
): Promise<string[]> =>
  withSnapshot(at, as, async (snapshot) => {
    await requireRoleManager(snapshot)
    return findAddresses(snapshot.db, wanted)
  })

/**
 * Stances of the beings whose names are most like a text, of those that these catalogs show.
 * @throws {TreeosError} as `authoring`
 */
export async function namesLike(snapshot: BeingSnapshot, text: string, limit: number): Promise<string[]> {
  await requireRoleManager(snapshot)
  return (await listNamesLike(snapshot.db, text, limit)).map(stanceOf)
}

/**
 * What SEE of the role manager shows as its catalogs, without what is around it: a space may hold thousands
 * of beings.
 */
async function choicesIn(snapshot: BeingSnapshot, registry: Registry): Promise<Choices> {
  await requireRoleManager(snapshot)
  return choicesOf(registry, catalogRowsOf(snapshot.db))
}

async function requireRoleManager({ regard }: BeingSnapshot): Promise<void> {
  if ((await regard(ROLE_MANAGER))?.cognition.script !== ROLE_MANAGER)
    throw new TreeosError('BEING_NOT_FOUND', `${stanceOf(ROLE_MANAGER)} keeps no roles in this reality`)
}

const namesOf = (
  registry: Registry,
): Pick<AuthoringCatalog, 'see' | 'relations' | 'resolvers' | 'signals'> => ({
  see: [...registry.see.keys()].sort(),
  relations: [...registry.relations.keys()].sort(),
  resolvers: [...registry.resolvers.keys()].sort(),
  signals: [...registry.signals].flatMap(([extension, keys]) =>
    keys.map((key) => `world.${extension}.${key}`),
  ),
})

const gone = ({ name, origin, requiredCognition }: RoleRow): RoleEntry => ({
  name,
  origin,
  requiredCognition,
  description: '',
  permissions: [],
})

const LIVE = 'live'
const isLive = ({ origin }: RoleRow): boolean => origin === LIVE
const authorOf = (row: RoleRow): Pick<ListedRole, 'author' | 'at' | 'deleted'> => ({
  author: isLive(row) ? stanceOf(row.author) : null,
  at: new Date(row.at).toISOString(),
  deleted: row.deleted,
})

const rowsOf = async (db: Db): Promise<RoleRow[]> =>
  (await listRowsOf(db, 'role:')).map(({ row }) => row as RoleRow)

/** A being that names a role, as far as the person may see it. */
export interface RoleUser {
  readonly stance: string
  /** its default role is this one */
  readonly isDefault: boolean
  /** its flow names it */
  readonly isInFlow: boolean
  /**
   * whether it wore the role in its last moment; null when its past may not be looked into, or it has none
   */
  readonly wearsIt: boolean | null
}

/** One state of a role, from the fact that made it. */
export interface RoleVersion {
  readonly seq: number
  /** ISO 8601, UTC */
  readonly at: string
  /** stance of who wrote or deleted it; null for an extension */
  readonly by: string | null
  /** null: it was deleted then, or the fact is erased */
  readonly spec: RoleSpec | null
  /**
   * figures of a trial that its author published beside it: shares of moments, from 0 to 1, and their number;
   * null for none
   */
  readonly trial: Readonly<Record<string, number | null>> | null
}

export interface RoleInside extends ListedRole {
  readonly digest: Digest
  /** null: it may not be read by this person, or it is deleted */
  readonly spec: CompleteRole | null
  /** whether the person may read the spec and the versions */
  readonly isOpen: boolean
  readonly usedBy: readonly RoleUser[]
  /** users that the person may not see, or that are not shown */
  readonly others: number
  /** newest first; empty when they may not be read */
  readonly versions: readonly RoleVersion[]
}

const USERS_MAX = 50
const VERSIONS_MAX = 100

/**
 * One role. What an extension brought is open to all that may see the role manager. The text of a live role
 * is open to those to whom its author's past is open, since the facts that hold it are, and to those who may
 * look into the past of a being that names it, since its prompts hold it.
 * @throws {TreeosError} as `authoring`; ROLE_UNAVAILABLE
 */
export async function inspectRole(at: SeeConnection, as: BeingName, name: RoleName): Promise<RoleInside> {
  const row = (await rowsOf(at.db)).find((one) => one.name === name)
  const users = await listBeingsNaming(at.db, name, { among: null, limit: USERS_MAX })
  return withSnapshot(at, as, async (snapshot) => {
    const isOpen = pastsOpenTo({ ...at, db: snapshot.db }, as)
    const entry = (await choicesIn(snapshot, at.registry)).roles.find((role) => role.name === name)
    if (row === undefined || (entry === undefined && !(isLive(row) && (await isOpen(row.author)))))
      throw unknownRole(name)
    const isText = await isReadable(at, as, row, isOpen)
    const spec = isText && !row.deleted ? await readSpec(snapshot.db, row.digest) : null
    const usedBy: RoleUser[] = []
    const shown = users.states.map((state) => fromJson<BeingRow>(state))
    await snapshot.reader.prefetch(shown.map(({ name }) => beingKey(name)))
    for (const user of shown) {
      if ((await unlessRefused(snapshot.regard(user.name))) === null) continue
      usedBy.push(await userOf(snapshot.db, name, user, await isOpen(user.name)))
    }
    return {
      ...(entry ?? gone(row)),
      ...authorOf(row),
      users: users.count,
      digest: row.digest,
      spec: spec === null ? null : withDefaults(spec),
      isOpen: isText,
      usedBy,
      others: users.count - usedBy.length,
      versions: isText ? await versionsOf(snapshot.db, name) : [],
    }
  })
}

/**
 * The roles whose text a being may read, as {@link inspectRole} says, each with those that name it and that
 * the being may see.
 * @throws {TreeosError} as `authoring`
 */
export async function readableRoles(at: SeeConnection, as: BeingName): Promise<RoleView[]> {
  const rows = new Map((await rowsOf(at.db)).map((row) => [row.name, row]))
  const all = await roles(at.db, rolesNamed)
  return withSnapshot(at, as, async (snapshot) => {
    const isOpen = pastsOpenTo({ ...at, db: snapshot.db }, as)
    const listed = new Set((await choicesIn(snapshot, at.registry)).roles.map(({ name }) => name))
    const seen = new Map<string, boolean>()
    const isSeen = async (stance: string): Promise<boolean> => {
      const known = seen.get(stance) ?? (await unlessRefused(snapshot.regard(parseStance(stance)))) !== null
      seen.set(stance, known)
      return known
    }
    const readable: RoleView[] = []
    for (const role of all) {
      const row = rows.get(role.name)
      if (row === undefined || !listed.has(role.name) || !(await isReadable(at, as, row, isOpen))) continue
      const usedBy: string[] = []
      for (const stance of role.usedBy) if (await isSeen(stance)) usedBy.push(stance)
      readable.push({ ...role, usedBy })
    }
    return readable
  })
}

/** Whether a being may read the text of a role. */
const isReadable = async (
  at: SeeConnection,
  as: BeingName,
  row: RoleRow,
  isOpen: OpenPasts,
): Promise<boolean> => !isLive(row) || (await isOpen(row.author)) || (await namesOneOf(at, as, row.name))

/**
 * Whether a living being names the role whose past is open to a person: its own, an offspring's, or to the
 * first operator any.
 */
async function namesOneOf({ db, ...at }: SeeConnection, as: BeingName, role: RoleName): Promise<boolean> {
  const among = await pastsFor(readerOf({ ...at, db }), as)
  return (await listBeingsNaming(db, role, { among, limit: 1 })).count > 0
}

async function userOf(db: Db, role: RoleName, being: BeingRow, isOpen: boolean): Promise<RoleUser> {
  const [last] = isOpen ? await listOutcomes(db, being.name, 1) : []
  const stack = last?.record.stack ?? null
  return {
    stance: stanceOf(being.name),
    isDefault: being.defaultRole === role,
    isInFlow: flowRoles(being.qualities.roleFlow ?? []).includes(role),
    wearsIt: stack === null ? null : [stack.primary, ...stack.stacked].some((worn) => worn.name === role),
  }
}

async function versionsOf(db: Db, name: RoleName): Promise<RoleVersion[]> {
  const facts = await listFactsMentioning(db, REGISTRY_REEL, {
    kinds: ['role:set', 'role:deleted'],
    text: `"name":${JSON.stringify(name)}`,
    last: VERSIONS_MAX,
  })
  return facts
    .filter(({ payload }) => payload?.name === name)
    .map(({ header, payload }) => ({
      seq: header.seq,
      at: new Date(header.at).toISOString(),
      by: byOf(header.actor),
      spec: header.kind === 'role:set' ? fromJson<RoleSpec | null>(payload?.spec ?? null) : null,
      trial: fromJson<RoleVersion['trial']>(payload?.trial ?? null),
    }))
}

/** Facts of genesis and of extensions have `$reality` as their actor. */
const byOf = (actor: string): string | null => (actor.startsWith('$') ? null : stanceOf(actor))

/** One state of a flow, from the fact that made it. */
export interface FlowVersion {
  readonly seq: number
  /** ISO 8601, UTC */
  readonly at: string
  readonly by: string | null
  readonly flow: Json
}

/** The role flow of a being. */
export interface FlowInside {
  readonly stance: string
  /** the clauses as they are; none is an empty list */
  readonly flow: Json
  readonly defaultRole: string | null
  readonly isEnded: boolean
  /** whether the person may look into its past, and so read the versions and try a flow on its moments */
  readonly isOpen: boolean
  /** number of its last finished moment; 0 when it has none or its past is not open */
  readonly moments: number
  /** newest first; empty when its past is not open */
  readonly versions: readonly FlowVersion[]
}

/**
 * The flow of a being that the person may see, or whose past is open to it, such as its own.
 * @throws {TreeosError} as `see`
 */
export async function inspectFlow(at: SeeConnection, as: BeingName, being: BeingName): Promise<FlowInside> {
  const isOpen = await mayReadPast(at, as, being)
  const { flow, defaultRole, isEnded } = await flowNow(at, as, being).catch(async (error: unknown) => {
    const row = isOpen && error instanceof TreeosError ? await readerOf(at).being(being) : null
    if (row === null) throw error
    return { flow: row.qualities.roleFlow, defaultRole: row.defaultRole, isEnded: row.ended !== undefined }
  })
  const [last] = isOpen ? await listOutcomes(at.db, being, 1) : []
  return {
    stance: stanceOf(being),
    flow: flow ?? [],
    defaultRole,
    isEnded,
    isOpen,
    moments: last?.n ?? 0,
    versions: isOpen ? await flowVersionsOf(at.db, being) : [],
  }
}

async function flowNow(at: SeeConnection, as: BeingName, being: BeingName) {
  const { qualities, identity } = await withSnapshot(at, as, ({ see }) => see(stanceOf(being)))
  const { defaultRole, ended } = identity
  return { flow: qualities.roleFlow, defaultRole, isEnded: ended !== undefined }
}

async function flowVersionsOf(db: Db, being: BeingName): Promise<FlowVersion[]> {
  const facts = await listFactsMentioning(db, `being:${being}`, {
    kinds: ['being:born', 'quality:set'],
    text: '"roleFlow"',
    last: VERSIONS_MAX,
  })
  return facts.flatMap(({ header, payload }) => {
    const flow = flowIn(header.kind, payload)
    if (flow === undefined) return []
    return [{ seq: header.seq, at: new Date(header.at).toISOString(), by: byOf(header.actor), flow }]
  })
}

/** The flow that a fact set; undefined for a fact that set none. */
function flowIn(kind: string, payload: Json): Json | undefined {
  if (!isJsonObject(payload)) return undefined
  const { path, value, qualities } = payload
  if (kind === 'being:born') return isJsonObject(qualities) ? qualities.roleFlow : undefined
  return Array.isArray(path) && path.length === 1 && path[0] === 'roleFlow' ? (value ?? []) : undefined
}
