import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ActResult, act, type MomentView, moments, ringBeing, summon } from '@treeos/client'
import {
  type BeingName,
  type FactRef,
  type Json,
  type JsonObject,
  PRIORITIES,
  type Priority,
  taskQueueOf,
  type VerbCall,
} from '@treeos/core'
import {
  countOpen,
  findEntry,
  findOutcomeOfWake,
  type InboxEntry,
  listFactsOfMoment,
  readRows,
} from '@treeos/store'
import type { BeingRow, Face } from '@treeos/world'
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { ModelRequest, ModelServer } from './model-server.ts'
import { putWake } from './wakes.ts'
import type { World } from './world.ts'

/** Polls until there is an answer. @throws {Error} when there is none in time */
export async function until<T>(
  ask: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  { seconds = 40, what = 'what was waited for' }: { seconds?: number; what?: string } = {},
): Promise<T> {
  const end = Date.now() + seconds * 1000
  for (let wait = 5; ; wait = Math.min(wait * 1.5, 100)) {
    const answer = await ask()
    if (answer !== null && answer !== undefined && answer !== false) return answer
    if (Date.now() > end) throw new Error(`${what} did not come within ${seconds} s`)
    await sleep(wait)
  }
}

export interface Telling {
  readonly priority?: Priority
  readonly role?: string
  readonly expectReply?: boolean
}

/** Summons a being as the operator and does not wait. @returns the correlation */
export async function tell(
  world: World,
  being: BeingName,
  content: Json,
  telling: Telling = {},
): Promise<string> {
  const { correlation } = await summon(world, {
    target: being,
    content,
    as: 'operator',
    waitSeconds: null,
    ...telling,
  })
  return correlation
}

/** Waits for the end of the moment that a wake opened. */
export async function momentOf(world: World, wake: string, seconds = 40): Promise<MomentView> {
  const outcome = await until(() => findOutcomeOfWake(world.db, wake), {
    seconds,
    what: `the moment of ${wake}`,
  })
  const moment = (await moments(world.db, outcome.being)).find(({ n }) => n === outcome.n)
  if (moment === undefined) throw new Error(`moment ${outcome.moment} is not listed`)
  return moment
}

/** Summons a being as the operator and waits for the end of its moment. */
export async function live(
  world: World,
  being: BeingName,
  content: Json,
  telling: Telling & { seconds?: number } = {},
): Promise<MomentView> {
  const { seconds, ...rest } = telling
  return momentOf(world, await tell(world, being, content, rest), seconds)
}

/** Waits until nothing is left in the inbox of a being: its model decides again after a refusal. */
export const untilAtRest = (world: World, being: BeingName): Promise<boolean> =>
  until(async () => (await countOpen(world.db, being)) === 0)

/**
 * Waits until nobody has a wake by change, none is to come, and the next change wakes at once: a being is
 * woken by changes once a second.
 */
export const untilChangesRest = (world: World): Promise<boolean> =>
  until(
    async () => {
      const { rows } = await sql<{ waits: boolean }>`
        select exists (select from treeos.inbox where id like 'change/%' and closed_by is null)
          or exists (select from treeos.held_change) or exists (select from treeos.delayed)
          or exists (select from treeos.head where woke_at > clock_timestamp() - interval '1 second')
          or exists (select from treeos.change_reader where woken_at > clock_timestamp() - interval '1 second') as waits`.execute(
        world.owner,
      )
      return rows[0]?.waits === false
    },
    { what: 'quiet' },
  )

/** Makes a puppet call a verb. */
export const play = (world: World, being: BeingName, call: JsonObject | VerbCall, say?: string) =>
  live(world, being, { call: call as unknown as JsonObject, ...(say === undefined ? {} : { say }) })

/** Every wake in an inbox, closed ones too, oldest first. */
export async function wakesOf(world: World, being: BeingName): Promise<InboxEntry[]> {
  const rows = await world.db
    .selectFrom('inbox')
    .select(['id'])
    .where('being', '=', being)
    .orderBy('age')
    .execute()
  return (await Promise.all(rows.map(({ id }) => findEntry(world.db, id)))).filter((entry) => entry !== null)
}

export const doAs = (
  world: World,
  operation: string,
  target: string,
  args: JsonObject,
  as = 'operator',
): Promise<ActResult> => act(world, as, { verb: 'do', operation, target, args })

export const setRole = (world: World, role: JsonObject) => doAs(world, 'set-role', '/', { role })
export const setFlow = (world: World, being: BeingName, flow: readonly unknown[]) =>
  doAs(world, 'set-roleflow', `@${being}`, { flow: flow as Json })
export const createSpace = (world: World, path: string) =>
  doAs(world, 'create-space', path.slice(0, path.lastIndexOf('/')) || '/', { path })

/** Publishes `ns.key`. */
export function publish(world: World, path: string, value: Json): Promise<ActResult> {
  const [namespace = '', ...key] = path.split('.')
  return doAs(world, 'set-world-signal', '/', { namespace, key: key.join('.'), value })
}

export async function rowOf(world: World, being: BeingName): Promise<BeingRow> {
  const [row] = await readRows(world.db, world.reality.id, [`being:${being}`])
  return row?.state as unknown as BeingRow
}

/** All chain heads and the number of facts. Equal before and after a call that must write nothing. */
export async function groundOf(world: World): Promise<unknown> {
  const heads = await world.db
    .selectFrom('head')
    .select(['reel', 'seq', 'hash'])
    .where('reel', 'not like', 'moments:%')
    .where('seq', '>', 0)
    .orderBy('reel')
    .execute()
  const { facts } = await world.db
    .selectFrom('fact')
    .select(({ fn }) => fn.countAll<number>().as('facts'))
    .executeTakeFirstOrThrow()
  return { facts, heads: heads.map((head) => ({ ...head, hash: head.hash.toString('hex') })) }
}

/** Expects a refusal with this code and message, and that no fact is written. */
export async function expectRefused(
  world: World,
  run: () => Promise<unknown>,
  code: string,
  says: string | RegExp,
): Promise<void> {
  const before = await groundOf(world)
  await expect(run()).rejects.toMatchObject({
    code,
    message: typeof says === 'string' ? expect.stringContaining(says) : expect.stringMatching(says),
  })
  expect(await groundOf(world)).toEqual(before)
}

export const factsOf = (world: World, being: BeingName, n: number, generation = 1): Promise<FactRef[]> =>
  listFactsOfMoment(world.db, `${being}/${generation}/${n}`)

/** The being that a request to the model is made for. */
export const beingOf = (request: ModelRequest): BeingName =>
  /^I am ([a-z0-9-]+),/.exec(request.messages[0]?.content ?? '')?.[1] ?? ''

/** The requests to the model for one being, in order. */
export const askedFor = (model: ModelServer, being: BeingName): ModelRequest[] =>
  model.requests.flatMap(({ body }) => (body !== null && beingOf(body) === being ? [body] : []))

/** Inserts wakes of the being's own into its inbox, as a schedule does. @returns their ids, in order */
export async function putWakes(world: World, being: BeingName, contents: readonly Json[]): Promise<string[]> {
  const ids = contents.map(() => `unanswered/${randomUUID()}`)
  for (const [i, content] of contents.entries()) {
    await putWake(world.owner, {
      id: ids[i]!,
      being,
      kind: 'event',
      priority: PRIORITIES.background,
      caller: null,
      content,
      root: ids[i]!,
      inReplyTo: null,
      askedRole: null,
      hops: 0,
      continues: 0,
      cause: null,
    })
  }
  return ids
}

/** The same, and rings once. */
export async function wakeUp(world: World, being: BeingName, contents: readonly Json[]): Promise<string[]> {
  const ids = await putWakes(world, being, contents)
  await ring(world, being)
  return ids
}

/** The stored face of a moment, by its digest; null where there is none. */
export async function readFace(world: World, digest: string | null | undefined): Promise<Face | null> {
  const row = await world.db
    .selectFrom('blob')
    .select('bytes')
    .where('digest', '=', digest ?? '')
    .executeTakeFirst()
  return row === undefined ? null : JSON.parse(row.bytes.toString())
}

export const ring = (world: World, being: BeingName): Promise<void> =>
  ringBeing(
    world.temporal,
    { reality: world.reality.name, taskQueue: taskQueueOf(world.reality.name) },
    being,
  )
