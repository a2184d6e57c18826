/** Moments about whose stack worker and workflow disagree, and what persons accepted of them. */
import { type BeingName, beingReel, type FactHeader, type JsonObject, type MomentId } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'
import { decodeJson } from '../sql/stored-json.ts'
import type { StackDigests } from './faults.ts'

/** A moment about whose stack worker and workflow disagree. */
export interface DifferingStack extends StackDigests {
  readonly being: BeingName
  readonly moment: MomentId
  /** names both digests */
  readonly message: string
}

/** A person says that a being goes on although its record and its workflow differ. */
export interface AcceptedDifference extends StackDigests {
  readonly moment: MomentId
  /** the person */
  readonly by: BeingName
  /** ms since 1970 UTC */
  readonly at: number
}

/**
 * What the run of the being failed by, and nobody accepted. A later life that has lived shows that it is
 * over.
 */
const unaccepted = sql<DifferingStack>`
  select o.being, f.moment, f.message, f.differs->>'recorded' as recorded, f.differs->>'given' as given, f.at
  from treeos.moment_fault f join treeos.moment_open o on o.moment = f.moment
  where f.part = 'stack' and not exists (
    select from treeos.moment_outcome e
    where e.being = o.being and e.n > o.n and e.reason is distinct from 'superseded'
      and split_part(e.moment, '/', 2)::integer > split_part(o.moment, '/', 2)::integer)
  and not exists (
    select from treeos.fact a
    where a.reel = 'being:' || o.being and a.kind = 'being:difference-accepted'
      and treeos.told(a.bytes) @> jsonb_build_object('moment', f.moment, 'recorded', f.differs->'recorded', 'given', f.differs->'given'))`

/**
 * The moments whose run failed because of such a difference, oldest first. Left out are those after which a
 * later life of their being has lived, and those of which a person accepted just this difference.
 */
export async function listDifferingStacks(db: Db): Promise<DifferingStack[]> {
  const { rows } = await sql<DifferingStack>`
    select being, moment, message, recorded, given from (${unaccepted}) as d order by at`.execute(db)
  return rows
}

/**
 * The difference by which the run of a moment failed, and that keeps its being from living on; null when
 * there is none.
 */
export async function findDifferingStack(db: Db, moment: MomentId): Promise<DifferingStack | null> {
  const { rows } = await sql<DifferingStack>`
    select being, moment, message, recorded, given from (${unaccepted}) as d where moment = ${moment}`.execute(
    db,
  )
  return rows[0] ?? null
}

/** What persons accepted of a being, oldest first. */
export async function listAcceptedDifferences(db: Db, being: BeingName): Promise<AcceptedDifference[]> {
  const rows = await db
    .selectFrom('fact')
    .select(['header', 'bytes'])
    .where('reel', '=', beingReel(being))
    .where('kind', '=', 'being:difference-accepted')
    .orderBy('seq')
    .execute()
  return rows.flatMap(({ header, bytes }): AcceptedDifference[] => {
    if (bytes === null) return []
    const { actor, at } = decodeJson<FactHeader>(header)
    const said = decodeJson<JsonObject>(bytes)
    return [
      {
        moment: String(said.moment),
        recorded: textIn(said.recorded),
        given: textIn(said.given),
        by: actor,
        at,
      },
    ]
  })
}

const textIn = (said: unknown): string | null => (typeof said === 'string' ? said : null)
