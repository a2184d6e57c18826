/** Beings that hand questions on, persons who ask them by each door, and who heard what of it. */
import { randomUUID } from 'node:crypto'
import { act, type Inhabitation, inhabit, issueToken, reply, summon } from '@treeos/client'
import type { BeingName, Json } from '@treeos/core'
import { sql } from 'kysely'
import OpenAI from 'openai'
import { createSpace, doAs, ring, until } from '../../support/life.ts'
import { PortalWorld, type Seat } from '../../support/portal.ts'
import relay, { type RelayTask } from '../../support/relay.ts'
import type { World, WorldOptions } from '../../support/world.ts'

/** The ways in which a person asks. */
export const DOORS = ['--wait', 'chat', 'page'] as const
export type Door = (typeof DOORS)[number]

/** At each door the customer of a shape, and another one who asks at the same time. */
const CUSTOMERS: Readonly<Record<Door, readonly [BeingName, BeingName]>> = {
  '--wait': ['cora', 'cyrus'],
  chat: ['alma', 'axel'],
  page: ['paul', 'pia'],
}

/** What came of a question: what was heard, or the code that says why nothing was. */
export type HeardAnswer = { readonly heard: Json } | { readonly code: string }

/** Longest time until an answer comes. */
const WAIT_SECONDS = 40
/** In a space of each a rule asks @chief before somebody rings. */
export const RINGS = { asked: '/asked', soon: '/soon' } as const

const codeOf = (error: unknown): HeardAnswer => {
  const { code } = error as { code?: string }
  if (typeof code !== 'string') throw error
  return { code }
}

const heardIn = (content: Json): HeardAnswer => {
  const told = typeof content === 'string' ? (JSON.parse(content) as Json) : content
  return { heard: (told as { heard: Json }).heard }
}

export class HandOffWorld {
  readonly at: PortalWorld
  readonly world: World
  readonly #chats = new Map<BeingName, OpenAI>()
  readonly #seats = new Map<BeingName, Seat>()
  readonly #seconds: number
  #guest: Inhabitation | null = null

  private constructor(at: PortalWorld, seconds: number) {
    this.at = at
    this.world = at.world
    this.#seconds = seconds
  }

  /** @param waitSeconds longest time until an answer comes */
  static async start({
    waitSeconds = WAIT_SECONDS,
    ...options
  }: WorldOptions & { readonly waitSeconds?: number } = {}): Promise<HandOffWorld> {
    const at = await PortalWorld.start({ ...options, extensions: [relay] })
    const here = new HandOffWorld(at, waitSeconds)
    await here.#populate()
    return here
  }

  async #populate(): Promise<void> {
    const { world } = this
    const relayed = { cognition: 'scripted', script: 'relay:relayed' }
    for (const name of ['desk', 'billing', 'legal', 'archive', 'gone'])
      await world.birth({ name, ...relayed, role: 'relay:desk' })
    for (const name of ['each', 'all']) await world.birth({ name, ...relayed, role: `relay:${name}` })
    await world.birth({ name: 'deaf', ...relayed, role: 'relay:deaf' })
    const person = { cognition: 'human', role: 'relay:person' }
    for (const name of ['clerk', 'idler', 'chief', 'cora', 'cyrus', 'alma', 'axel', 'paul', 'pia'])
      await world.birth({ name, ...person })
    await act(this.as('clerk'), 'clerk', {
      verb: 'be',
      operation: 'birth',
      args: { name: 'guest', ...relayed, role: 'relay:desk' },
    })
    await doAs(world, 'end-being', '@gone', {})
    for (const [path, within] of [
      [RINGS.asked, 3600],
      [RINGS.soon, 1],
    ] as const) {
      await createSpace(world, path)
      await doAs(world, 'set-space', path, {
        field: 'permissions.do',
        value: { 'relay:ring': { requires: ['anyone'], ask: { who: ['@chief'], within } } },
      })
    }
    for (const name of CUSTOMERS.chat) {
      const { secret } = await issueToken(this.as(name), { being: name, as: name })
      this.#chats.set(name, new OpenAI({ apiKey: secret, baseURL: `${this.at.origin}/v1`, maxRetries: 0 }))
    }
    for (const name of CUSTOMERS.page) this.#seats.set(name, await this.at.sit(name))
    this.#guest = await inhabit(this.as('clerk'), { being: 'guest', as: 'clerk' })
  }

  async close(): Promise<void> {
    await this.#guest?.release()
    await this.at.close()
  }

  /** The world as a person who lives there. */
  as(person: BeingName): World {
    return { ...this.world, person }
  }

  customer(door: Door, second = false): BeingName {
    return CUSTOMERS[door][second ? 1 : 0]
  }

  /** Asks by a door, and waits for what comes of it. */
  async ask(door: Door, person: BeingName, target: BeingName, task: RelayTask): Promise<HeardAnswer> {
    const content = task as unknown as Json
    if (door === '--wait') {
      const asks = { target, content, as: person, waitSeconds: this.#seconds, requireReply: true }
      return summon(this.as(person), asks).then(({ reply }) => heardIn(reply?.content ?? null), codeOf)
    }
    if (door === 'page') return this.#askByPage(person, target, content)
    const messages = [{ role: 'user' as const, content: JSON.stringify(content) }]
    const asked = this.#chats.get(person)?.chat.completions.create({ model: `@${target}`, messages })
    return (asked ?? Promise.reject(new Error(`${person} has no chat`))).then(
      ({ choices }) => heardIn(choices[0]?.message.content ?? null),
      codeOf,
    )
  }

  /** As the page: it says it, then reads the thread until the answer is there, or nobody owes it any more. */
  async #askByPage(person: BeingName, target: BeingName, content: Json): Promise<HeardAnswer> {
    const seat = this.#seats.get(person) ?? null
    const headers = { 'idempotency-key': randomUUID() }
    const say = () => this.at.post(seat, '/api/v1/summon', { target: `@${target}`, content }, { headers })
    // The same words sent again after a fault are one message.
    const said = await until(
      async () => {
        const sent = await say()
        return sent.json.code === 'TIMEOUT' ? null : sent
      },
      { seconds: this.#seconds, what: `the words of ${person}` },
    )
    if (said.status !== 200) return { code: said.json.code }
    const { correlation } = said.json as { correlation: string }
    return until(
      async () => {
        const { json } = await this.at.ask(seat, `/api/v1/threads/${correlation}`)
        const { lines, owed } = json as PageThread
        const answer = lines.find(({ to, inReplyTo }) => to === `@${person}` && inReplyTo === correlation)
        if (answer?.notice === true) return codeOf(answer.content)
        if (answer !== undefined) return heardIn(answer.content)
        return owed.some(({ id }) => id === correlation) ? null : { code: 'NO_ANSWER' }
      },
      { seconds: this.#seconds, what: `the answer to ${person}` },
    )
  }

  /** The question with this mark that waits in the inbox of a person, or of a being that one drives. */
  askedOf(being: BeingName, mark: string): Promise<{ readonly id: string; readonly content: Json }> {
    return until(
      async () => {
        const { rows } = await sql<{ id: string; content: string }>`
          select id, convert_from(content, 'UTF8') as content from treeos.inbox
          where being = ${being} and kind in ('summon', 'event') and closed_by is null
            and strpos(convert_from(content, 'UTF8'), ${mark}) > 0 order by age limit 1`.execute(
          this.world.owner,
        )
        const [row] = rows
        return row === undefined ? null : { id: row.id, content: JSON.parse(row.content) as Json }
      },
      { seconds: this.#seconds, what: `${mark} in the inbox of ${being}` },
    )
  }

  async threadOfWake(id: string): Promise<string> {
    const { rows } = await sql<{ root: string }>`select root from treeos.inbox where id = ${id}`.execute(
      this.world.owner,
    )
    return rows[0]?.root ?? id
  }

  /** A person answers what was asked, also as a being that the person drives. */
  async answers(being: BeingName, mark: string, heard: Json, person = being): Promise<void> {
    const { id, content } = await this.askedOf(being, mark)
    const { state = null } = content as { state?: Json }
    await reply(this.as(person), {
      as: being,
      correlation: id,
      content: { heard, state },
      waitSeconds: null,
    })
  }

  /** @chief answers the call with this mark. */
  async decides(operation: 'approve' | 'deny', mark: string): Promise<void> {
    const { content } = await this.askedOf('chief', mark)
    const { id } = content as { id: string }
    await act(
      this.as('chief'),
      'chief',
      { verb: 'do', operation, target: '@chief', args: { id } },
      this.#seconds,
    )
  }

  /** A day goes by for the question of a being. */
  async dayGoesBy(being: BeingName, mark: string): Promise<void> {
    const { owner } = this.world
    const { id } = await this.askedOf(being, mark)
    await sql`update treeos.inbox set at = at - interval '2 days' where id = ${id}`.execute(owner)
    const { rows } = await sql<{ told: BeingName[] }>`select treeos.let_go_late() as told`.execute(owner)
    for (const told of rows.flatMap((row) => row.told)) await ring(this.world, told)
  }

  /** The thread of the question with this mark that a person asked first. */
  async #threadOf(person: BeingName, mark: string): Promise<string | null> {
    const { rows } = await sql<{ root: string }>`
      select root from treeos.inbox where caller = ${person} and kind = 'summon'
        and strpos(convert_from(content, 'UTF8'), ${mark}) > 0 order by age limit 1`.execute(this.world.owner)
    return rows[0]?.root ?? null
  }

  /** Waits until nobody has anything left to do about a question, then tells who heard what of it, in any thread. */
  async linesOf(person: BeingName, mark: string): Promise<readonly string[]> {
    const { owner } = this.world
    const root = await this.#threadOf(person, mark)
    if (root === null) return []
    await until(
      async () => {
        const { rows } = await sql`
          select from treeos.inbox i where root = ${root} and closed_by is null and treeos.wakes(being, kind)
            and not exists (select from treeos.moment_outcome o where o.wake = i.id and o.reason = 'not-triggered')
          limit 1`.execute(owner)
        return rows.length === 0
      },
      { seconds: this.#seconds, what: `the rest of ${mark}` },
    )
    // Notices to a person are one entry for all that are equal, so they belong to no thread.
    const { rows } = await sql<{ line: string }>`
      select case when kind = 'summon' then '@' || caller else split_part(id, '/', 1) end || ' > @' || being as line
      from treeos.inbox where (root = ${root} or strpos(convert_from(content, 'UTF8'), ${mark}) > 0)
        and (kind = 'summon' and caller <> being or kind = 'event' and caller is null and treeos.wakes(being, kind)
          or id like 'asked/%')`.execute(owner)
    return rows.map(({ line }) => line.replace(`@${person}`, '@customer')).sort()
  }
}

interface PageThread {
  readonly lines: readonly {
    readonly to: string
    readonly content: Json
    readonly inReplyTo: string | null
    readonly notice: boolean
  }[]
  /** questions that are open, as far as one may know of them */
  readonly owed: readonly { readonly id: string }[]
}
