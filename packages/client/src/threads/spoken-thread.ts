import { type BeingName, type MomentId, parseMomentId, stanceOf, type Thread } from '@treeos/core'
import {
  type Db,
  listCosts,
  listThreadEntries,
  listThreadsOfChannel,
  listUnheard,
  type MomentCost,
  type ThreadEntry,
  threadOf,
} from '@treeos/store'
import { type OpenPasts, openTo, pastsOpenTo } from '../access/past-access.ts'
import { see } from '../addresses/see.ts'
import type { SeeConnection } from '../beings/being-snapshot.ts'
import { lineOf } from './conversation.ts'
import { type OwedQuestion, owedQuestions, type ThreadView, thread, threadView } from './threads.ts'

/** What was said or what happened in a thread, and the moment that it woke. */
export interface SpokenLine {
  /** ISO 8601, UTC */
  readonly at: string
  readonly kind: 'words' | 'event'
  /** stances; of words alone, since nobody says what happens */
  readonly from?: string
  readonly to?: string
  readonly text: string
  /** of an answer: stances of those whose answers it followed; left out for nobody */
  readonly followed?: readonly string[]
  /** its words come from outside; left out for all others */
  readonly outside?: true
  /** left out while there is none; of a model also what it cost, in the currency of the price list */
  readonly moment?: MomentId
  readonly tokens?: number
  readonly money?: number
}

/** A thread as one reads it. */
export interface SpokenThread extends ThreadView {
  /** its id */
  readonly root: string
  /** the newest, oldest first */
  readonly lines: readonly SpokenLine[]
  /** older lines, which are not shown */
  readonly hidden: number
  /** of the lines: how many moments they woke, and what these cost */
  readonly moments: number
  readonly tokens: number
  readonly money: number
  readonly owed: readonly OwedQuestion[]
  /** words of minds that reached nobody, since no tool was called; left out where there are none */
  readonly unheard?: readonly UnheardWords[]
}

interface UnheardWords {
  /** a stance */
  readonly from: string
  readonly words: string
}

/**
 * A conversation with a name: the threads in which something was said under it, the one with the latest wake
 * first.
 */
export interface ChannelView {
  readonly channel: string
  readonly threads: readonly ThreadView[]
}

/** The newest thread in which a being takes part and something was said under this name; null for none. */
export async function threadInChannel(db: Db, as: BeingName, channel: string): Promise<string | null> {
  const threads = await listThreadsOfChannel(db, channel, CHANNEL_THREADS_MAX)
  return threads.find(({ participants }) => participants.includes(as))?.thread ?? null
}

const LINES_MAX = 500
/** Most threads of a channel that are shown. */
const CHANNEL_THREADS_MAX = 100
/** Most words that reached nobody which are shown of a thread. */
const UNHEARD_MAX = 20

/**
 * A thread by its id, or a conversation by the name of its channel, for whoever may read the database.
 * @throws {TreeosError} CORRELATION_NOT_FOUND
 */
export async function conversation(db: Db, name: string): Promise<SpokenThread | ChannelView> {
  const tally = await threadOf(db, name)
  return tally === null ? channelView(db, name, () => true) : spoken(db, tally, { of: null })
}

/**
 * The same as a person may read it: both gates decide whether it sees the thread at all, and it reads what a
 * being whose past is open to it said or was told. Of a channel it sees the threads in which it takes part.
 * @throws {TreeosError} CORRELATION_NOT_FOUND; as `see`
 */
export async function spokenThread(
  at: SeeConnection,
  as: BeingName,
  name: string,
): Promise<SpokenThread | ChannelView> {
  const of = await openTo(at, as)
  const tally = await threadOf(at.db, name)
  if (tally === null)
    return channelView(at.db, name, ({ participants }) => of === null || participants.includes(as))
  await see(at, as, `thread:${name}`)
  return spoken(at.db, tally, { of, isOpen: pastsOpenTo(at, as) })
}

async function channelView(db: Db, name: string, isShown: (thread: Thread) => boolean): Promise<ChannelView> {
  const threads = (await listThreadsOfChannel(db, name, CHANNEL_THREADS_MAX)).filter(isShown)
  return {
    channel: name,
    threads: threads.length === 0 ? [await thread(db, name)] : threads.map(threadView),
  }
}

/** @param which whose lines are shown; null: of all */
async function spoken(
  db: Db,
  tally: Thread,
  which: { readonly of: BeingName | null; readonly isOpen?: OpenPasts },
): Promise<SpokenThread> {
  const { of, isOpen = async () => true } = which
  const { thread: root } = tally
  const { entries, all } = await listThreadEntries(db, root, { of, last: LINES_MAX })
  const costs = await listCosts(
    db,
    entries.flatMap(({ ended }) => ended?.moment ?? []),
  )
  const spent = [...costs.values()]
  const words: UnheardWords[] = []
  for (const one of await listUnheard(db, root, UNHEARD_MAX))
    if (await isOpen(parseMomentId(one.moment).being)) words.push(unheardWords(one))
  return {
    root,
    ...threadView(tally),
    lines: entries.map((entry) => spokenLine(entry, costs)),
    hidden: all - entries.length,
    moments: entries.filter(({ ended }) => ended !== null).length,
    tokens: spent.reduce((sum, { tokens }) => sum + tokens, 0),
    money: spent.reduce((sum, { money }) => sum + money, 0),
    owed: await owedQuestions(db, root, of),
    ...(words.length === 0 ? {} : { unheard: words }),
  }
}

function spokenLine(entry: ThreadEntry, costs: ReadonlyMap<MomentId, MomentCost>): SpokenLine {
  const { at, kind, from, to, text, outside, followed } = lineOf(entry)
  const moment = entry.ended?.moment
  const cost = moment === undefined ? undefined : costs.get(moment)
  return {
    at,
    kind,
    ...(kind === 'words' && from !== null ? { from, to } : {}),
    text,
    ...(followed === undefined ? {} : { followed }),
    ...(outside === true ? { outside } : {}),
    ...(moment === undefined ? {} : { moment }),
    ...(cost === undefined ? {} : { tokens: cost.tokens, money: cost.money }),
  }
}

const unheardWords = ({
  moment,
  words,
}: {
  readonly moment: MomentId
  readonly words: string
}): UnheardWords => ({
  from: stanceOf(parseMomentId(moment).being),
  words,
})
