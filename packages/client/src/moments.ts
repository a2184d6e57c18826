import {
  type Db,
  digestOf,
  findEntry,
  getBlob,
  getBlobCached,
  listOutcomes,
  listRows,
  type OpenRecord,
  readClock,
  readDecision,
  readOpen,
  readOutcomeByNumber,
  type StoredOutcome,
} from '@treeos/chain'
import {
  type BeingName,
  type Breach,
  type Budget,
  type Json,
  type OutcomeKind,
  stanceOf,
  TreeosError,
  type Verb,
} from '@treeos/core'
import {
  type CompleteRole,
  compileFlow,
  type Explanation,
  explainFlow,
  type Program,
  type RoleSpec,
  withDefaults,
} from '@treeos/roles'
import {
  type BeingRow,
  composeMoment,
  type Face,
  isParked,
  type Registry,
  type RoleRow,
  type Surface,
} from '@treeos/world'

/** A finished moment as people are told of it. */
export interface MomentView {
  readonly n: number
  /** ISO 8601, UTC */
  readonly openedAt: string
  readonly verb: Verb | null
  readonly wake: string | null
  readonly outcome: OutcomeKind
  readonly reason?: string
  readonly message?: string
  readonly primary: string | null
  readonly stacked: readonly string[]
  readonly stackDigest: string | null
  readonly promptDigest: string | null
  /** id of the act, which its facts carry; null unless the moment is sealed */
  readonly act: string | null
  readonly actHash: string | null
  /** who drove the being; left out when it decided for itself */
  readonly driver?: string
  /** what was said with the act, or instead of one */
  readonly content?: string
}

/** Finished moments, oldest first. @param last at most this many of the newest */
export async function moments(db: Db, being: BeingName, last?: number): Promise<MomentView[]> {
  const outcomes = await listOutcomes(db, being, last)
  return Promise.all(outcomes.map((outcome) => describeMoment(db, outcome)))
}

export async function describeMoment(db: Db, outcome: StoredOutcome): Promise<MomentView> {
  const { record } = outcome
  const open = await readOpen(db, outcome.moment)
  const decision = await readDecision(db, outcome.moment)
  const said = decision?.decision.kind === 'failure' ? null : (decision?.decision.content ?? null)
  return {
    n: outcome.n,
    openedAt: new Date(record.openedAt).toISOString(),
    verb: open?.record.verb ?? null,
    wake: outcome.wake,
    outcome: outcome.kind,
    ...(outcome.reason === null ? {} : { reason: outcome.reason }),
    ...(outcome.detail === null ? {} : { message: outcome.detail }),
    primary: record.stack?.primary.name ?? null,
    stacked: record.stack?.stacked.map((role) => role.name) ?? [],
    stackDigest: record.stackDigest,
    promptDigest: record.promptDigest,
    act: record.act === null ? null : outcome.moment,
    actHash: record.act,
    ...(open?.record.driver == null ? {} : { driver: stanceOf(open.record.driver) }),
    ...(said === null ? {} : { content: said }),
  }
}

/** An open moment and what its digests stand for. */
interface Recalled {
  readonly outcome: StoredOutcome
  readonly open: OpenRecord
  readonly program: Program
  readonly face: Face | null
  readonly content: Json
}

async function recall(db: Db, being: BeingName, n: number): Promise<Recalled> {
  const outcome = await readOutcomeByNumber(db, being, n)
  if (outcome === null)
    throw new TreeosError('MOMENT_NOT_FOUND', `${stanceOf(being)} has no finished moment ${n}`)
  const open = await readOpen(db, outcome.moment)
  if (open === null)
    throw new TreeosError('MOMENT_NOT_FOUND', `moment ${n} of ${stanceOf(being)} was never opened`)
  const { record } = open
  const wake = await findEntry(db, record.wake.id)
  return {
    outcome,
    open: record,
    program: (await getBlob(db, record.program)) as unknown as Program,
    face: record.face === null ? null : ((await getBlob(db, record.face)) as unknown as Face | null),
    content: wake?.content ?? null,
  }
}

export type ExplainedMoment = Explanation & {
  readonly surface: Surface
  /** tokens and see-resolvers that came to nothing, and why */
  readonly leftOut: Face['dropped']
  /** the rules of the two gates that decided */
  readonly by: readonly string[]
  readonly gates: {
    /** null when the moment came to no gate: it ended without a call, or failed before one */
    readonly allowed: boolean | null
    readonly by: readonly string[]
    /** why a call was refused */
    readonly reason?: string
    readonly message?: string
  }
}

/** Which clauses of a past moment were considered, matched or skipped, and why; and what it could reach. */
export async function explain(db: Db, being: BeingName, n: number): Promise<ExplainedMoment> {
  const { outcome, open, program, face } = await recall(db, being, n)
  const explanation = explainFlow(compileFlow(program.flow), {
    context: open.context,
    cognition: open.cognition.kind,
    roles: program.roles,
    defaultRole: program.defaultRole,
    asked: open.asked,
  })
  const none: Surface = { canSee: [], canDo: [], canSummon: [], canBe: [] }
  return {
    ...explanation,
    surface: face?.surface ?? none,
    leftOut: face?.dropped ?? [],
    by: outcome.record.by,
    gates: gatesOf(outcome),
  }
}

function gatesOf({ kind, reason, detail, record: { by } }: StoredOutcome): ExplainedMoment['gates'] {
  if (kind !== 'failure') return { allowed: by.length > 0 ? true : null, by }
  const refusal = { ...(reason === null ? {} : { reason }), ...(detail === null ? {} : { message: detail }) }
  return { allowed: reason === 'FORBIDDEN' ? false : null, by, ...refusal }
}

export interface RebuiltPrompt {
  readonly system: string
  readonly user: string
  readonly digest: string
  /** the rebuilt prompt has the digest that was recorded */
  readonly identical: boolean
}

/** Rebuilds the prompt of a past moment from what was pinned, and compares it with what was recorded. */
export async function prompt(
  db: Db,
  registry: Registry,
  being: BeingName,
  n: number,
): Promise<RebuiltPrompt> {
  const { outcome, open, face, content } = await recall(db, being, n)
  const { stack } = outcome.record
  if (stack === null || face === null) {
    throw new TreeosError(
      'MOMENT_NOT_FOUND',
      `moment ${n} of ${stanceOf(being)} wore no role, so it had no prompt`,
    )
  }
  const specs = await Promise.all(
    [stack.primary, ...stack.stacked].map((role) => getBlobCached(db, role.digest)),
  )
  const rebuilt = composeMoment(registry, specs as unknown as RoleSpec[], face, {
    openedAt: open.openedAt,
    content,
  })
  const digest = digestOf(rebuilt.prompt)
  return { ...rebuilt.prompt, digest, identical: digest === outcome.record.promptDigest }
}

/** A being as lists show it. */
export interface BeingView {
  readonly being: BeingName
  readonly stance: string
  readonly cognition: string
  readonly parent: string | null
  readonly space: string
  readonly defaultRole: string | null
  /** who drives it right now; left out when nobody does */
  readonly inhabitedBy?: string
  /** what it and its offspring may use up; left out when nothing of it is limited */
  readonly budget?: Partial<Budget>
  /** the limit that it met, while it rests until somebody approves or the day is over */
  readonly parked?: Breach
}

export async function beings(db: Db): Promise<BeingView[]> {
  const rows = (await listRows(db, 'being:')).map(({ state }) => state as unknown as BeingRow)
  const revisions = new Map(rows.map(({ name, budget }) => [name, budget?.revision ?? 0]))
  const now = await readClock(db)
  return rows.map((being) => {
    const { revision: _count, ...budget } = being.budget ?? { revision: 0 }
    const holds = isParked(being, (name) => revisions.get(name) ?? 0, now)
    return {
      being: being.name,
      stance: stanceOf(being.name),
      cognition: being.cognition.kind,
      parent: being.parent === null ? null : stanceOf(being.parent),
      space: being.space,
      defaultRole: being.defaultRole,
      ...(being.inhabited?.by == null ? {} : { inhabitedBy: stanceOf(being.inhabited.by) }),
      ...(isLimited(budget) ? { budget } : {}),
      ...(holds && being.parked !== undefined ? { parked: being.parked } : {}),
    }
  })
}

const isLimited = ({ per: _over, ...limits }: Partial<Budget>): boolean => Object.keys(limits).length > 0

/** A role with everything that its author left out, where it came from and who could wear it. */
export type RoleView = CompleteRole & {
  readonly origin: string
  readonly digest: string
  /** stances whose flow or default names it */
  readonly usedBy: readonly string[]
}

export async function roles(db: Db, rolesNamed: (being: BeingRow) => readonly string[]): Promise<RoleView[]> {
  const users = new Map<string, string[]>()
  for (const { state } of await listRows(db, 'being:')) {
    const being = state as unknown as BeingRow
    for (const name of rolesNamed(being)) users.set(name, [...(users.get(name) ?? []), stanceOf(being.name)])
  }
  const rows = (await listRows(db, 'role:'))
    .map(({ state }) => state as unknown as RoleRow)
    .filter((row) => !row.deleted)
  return Promise.all(
    rows.map(async (row) => ({
      ...withDefaults((await getBlobCached(db, row.digest)) as unknown as RoleSpec),
      origin: row.origin,
      digest: row.digest,
      usedBy: users.get(row.name) ?? [],
    })),
  )
}
