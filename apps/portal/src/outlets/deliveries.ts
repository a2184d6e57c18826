import type { BeingName } from '@treeos/core'
import { type Kysely, sql } from 'kysely'
import type { PortalDb } from '../store/schema.ts'
import { CONFIRMING, type OutletKind, type OutletSubject, type ToldAs } from './outlets.ts'

/** One telling of one entry, which somebody has taken in hand. */
export interface Delivery {
  /** the receiver knows a repetition by it: the same each time it is sent */
  readonly id: string
  readonly outlet: string
  readonly entry: string
  readonly being: BeingName
  readonly kind: OutletKind
  readonly address: string
  readonly want: ToldAs | 'confirm'
  /** with this one */
  readonly attempts: number
  readonly salt: Buffer
}

/**
 * An entry younger than this is not told yet: whoever waits for an answer closes it as soon as it comes.
 * A person is not told within this time, either.
 */
const GRACE_SECONDS = 2
/** E-mails to one address within an hour; more wait. */
const EMAILS_PER_HOUR = 30
const KEPT_DAYS = 30

/** What a person is told of an entry. */
const TOLD = sql<ToldAs>`case treeos.kind_of(i) when 'asks-back' then 'question' when 'news' then 'notice' when 'event' then 'notice' else treeos.kind_of(i) end`
/**
 * What an outlet has to want so that the entry is told: a parked budget needs a decision of its person, as an
 * approval does.
 */
const WANT = sql<OutletSubject>`replace(${TOLD}, 'budget', 'approval')`

/**
 * Notes which open entries are to be told, each once for each outlet. The inbox itself says what is open, so
 * nothing is lost, however long nobody looked. What its person closed meanwhile is told to nobody.
 */
export async function noteOpenEntries(db: Kysely<PortalDb>, graceSeconds = GRACE_SECONDS): Promise<void> {
  await sql`
    insert into portal.delivery (outlet, entry)
    select o.id, i.id from portal.outlet o join treeos.inbox i on i.being = o.being
    where o.confirmed and i.closed_by is null and i.kind <> 'act' and i.age > o.after_age
      and (${WANT}) = any(o.wants) and i.at < clock_timestamp() - make_interval(secs => ${graceSeconds})
    for key share of o -- none is removed meanwhile
    on conflict do nothing`.execute(db)
}

/**
 * Takes deliveries that are due in hand, for a while: if whoever took one dies, it is due again then.
 * @param perPerson at most, so that slow receivers of one person do not delay what others are told
 * @param without persons that have as many under way already
 * @param holdSeconds longer than a try takes
 */
export async function takeDue(
  db: Kysely<PortalDb>,
  {
    limit,
    perPerson,
    without,
    holdSeconds,
  }: {
    readonly limit: number
    readonly perPerson: number
    readonly without: readonly BeingName[]
    readonly holdSeconds: number
  },
): Promise<Delivery[]> {
  const { rows } = await sql<Delivery>`
    with due as (
      select d.outlet, d.entry from (
        select o.being, max(d.tried_at) as latest from portal.outlet o join portal.delivery d on d.outlet = o.id
        where not o.being = any(${[...without]}::text[]) group by o.being) person,
      lateral (
        select d.outlet, d.entry, d.next_at from portal.delivery d join portal.outlet o on o.id = d.outlet
        where o.being = person.being and d.state = 'due' and d.next_at <= clock_timestamp()
          and (o.kind <> 'email' or ${EMAILS_PER_HOUR} > (
            select count(*) from portal.delivery s
            where s.outlet = o.id and s.tried_at > clock_timestamp() - interval '1 hour'))
        order by d.next_at limit ${perPerson} for update of d skip locked) d
      order by person.latest nulls first, d.next_at limit ${limit}
    ), taken as (
      update portal.delivery d set attempts = attempts + 1, tried_at = clock_timestamp(),
        next_at = clock_timestamp() + make_interval(secs => ${holdSeconds})
      from due where d.outlet = due.outlet and d.entry = due.entry
      returning d.id, d.outlet, d.entry, d.attempts
    )
    select t.id, t.outlet, t.entry, t.attempts, o.being, o.kind, o.address, o.salt,
      case when t.entry = ${CONFIRMING} then 'confirm' else ${TOLD} end as want
    from taken t join portal.outlet o on o.id = t.outlet left join treeos.inbox i on i.id = t.entry`.execute(
    db,
  )
  return rows
}

/** What came of a try. `moot`: the entry was closed before it was told. */
export type DeliveryResult =
  | { readonly state: 'sent' | 'moot' }
  | { readonly state: 'due'; readonly fault: string; readonly againInSeconds: number }
  | { readonly state: 'dead'; readonly fault: string }

export async function settleDelivery(
  db: Kysely<PortalDb>,
  { id }: Delivery,
  result: DeliveryResult,
): Promise<void> {
  const fault = 'fault' in result ? result.fault : null
  await db
    .updateTable('delivery')
    .set({
      state: result.state,
      fault,
      ...(result.state === 'due'
        ? { next_at: sql`clock_timestamp() + make_interval(secs => ${result.againInSeconds})` }
        : {}),
    })
    .where('id', '=', id)
    .where('state', '=', 'due')
    .execute()
}

/** Forgets what is long over. An entry that is still open is kept in mind, so that it is not told again. */
export async function forgetOld(db: Kysely<PortalDb>): Promise<void> {
  await sql`
    delete from portal.delivery d
    where d.state <> 'due' and d.made_at < clock_timestamp() - make_interval(days => ${KEPT_DAYS})
      and not exists (select from treeos.inbox i where i.id = d.entry and i.closed_by is null)`.execute(db)
}

export async function hasOutlets(db: Kysely<PortalDb>): Promise<boolean> {
  return (await db.selectFrom('outlet').select('id').limit(1).executeTakeFirst()) !== undefined
}
