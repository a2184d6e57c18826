import { type BeingName, type Decision, type Json, stanceOf } from '@treeos/core'
import { type Db, listNewestOutcomes, listRecentCalls, listStandings } from '@treeos/store'
import { type BeingRow, beingKey } from '@treeos/world'
import { isPastOpen } from '../access/past-access.ts'
import { type BeingSnapshot, unlessRefused } from '../beings/being-snapshot.ts'
import { type BeingState, statesIn } from '../beings/states.ts'
import { wordsIn } from '../beings/words.ts'

/** A being in a space, as far as the person may see it. */
export interface Occupant {
  readonly stance: string
  /** null when the being itself may not be seen */
  readonly cognition: string | null
  readonly inhabitedBy: string | null
  readonly isEnded: boolean
  /** the most important first; where its past is not open to the person, only what SEE shows */
  readonly states: readonly BeingState[]
  /** null when its past may not be looked into, or it has none */
  readonly last: LastMoment | null
}

export interface LastMoment {
  readonly n: number
  /** what it wore */
  readonly primary: string | null
  readonly stacked: readonly string[]
  /** the last words that it spoke; null when it said nothing lately */
  readonly words: Json
}

/** A being with its row, where the person may see it. */
export interface SeenOccupant {
  readonly being: BeingName
  readonly row: BeingRow | null
  readonly states: readonly BeingState[]
  readonly last: LastMoment | null
}

/** In how many of the latest moments the last words are looked for. */
const RECENT = 5

/** Looks at many beings at once. Each is seen through both gates; a few statements read all of them. */
export async function regardAll(
  snapshot: BeingSnapshot,
  as: BeingName,
  beings: readonly BeingName[],
): Promise<SeenOccupant[]> {
  await snapshot.reader.prefetch(beings.map(beingKey))
  const rows = new Map<BeingName, BeingRow | null>()
  for (const being of beings) rows.set(being, await unlessRefused(snapshot.regard(being)))
  const open: BeingName[] = []
  for (const being of beings) if (await isPastOpen(snapshot.reader, as, being)) open.push(being)
  const lasts = await lastMomentsOf(snapshot.db, open)
  const standings = new Map((await listStandings(snapshot.db, open)).map((one) => [one.being, one]))
  return beings.map((being) => {
    const row = rows.get(being) ?? null
    return {
      being,
      row,
      states: statesIn(shownIn(row), standings.get(being)),
      last: lasts.get(being) ?? null,
    }
  })
}

const shownIn = (row: BeingRow | null) => ({
  isEnded: row?.ended !== undefined,
  isDriven: row?.inhabited?.by != null,
  isPaused: row?.paused !== undefined,
  isPerson: row?.cognition.kind === 'human',
})

export const occupantOf = ({ being, row, states, last }: SeenOccupant): Occupant => ({
  stance: stanceOf(being),
  cognition: row?.cognition.kind ?? null,
  inhabitedBy: row?.inhabited?.by == null ? null : stanceOf(row.inhabited.by),
  isEnded: row?.ended !== undefined,
  states,
  last,
})

async function lastMomentsOf(db: Db, beings: readonly BeingName[]): Promise<Map<BeingName, LastMoment>> {
  const newest = await listNewestOutcomes(db, beings)
  const calls = await listRecentCalls(db, beings, RECENT)
  const words = new Map<BeingName, Json>()
  for (const { being, decision } of calls)
    if (!words.has(being) && isSpeech(decision)) words.set(being, wordsIn(decision.call.content))
  return new Map(
    newest.map(({ being, n, record: { stack } }) => [
      being,
      {
        n,
        primary: stack?.primary.name ?? null,
        stacked: stack?.stacked.map(({ name }) => name) ?? [],
        words: words.get(being) ?? null,
      },
    ]),
  )
}

const isSpeech = (
  decision: Decision,
): decision is Extract<Decision, { kind: 'call' }> & { call: { verb: 'summon' } } =>
  decision.kind === 'call' && decision.call.verb === 'summon'
