/**
 * What a worker writes that was taken over, and has its login in Postgres: facts and rows that the law does
 * not give.
 */
import {
  beingReel,
  type Decision,
  type FactDraft,
  isJsonObject,
  type Json,
  type JsonObject,
} from '@treeos/core'

interface ForgedRow {
  readonly key: string
  readonly state: Json
}

interface Forgery {
  facts?(facts: readonly FactDraft[]): readonly FactDraft[]
  rows?<Row extends ForgedRow>(rows: readonly Row[]): readonly Row[]
}

const adding = (reel: string, kind: string, payload: JsonObject = {}): Forgery => ({
  facts: (facts) => [...facts, { reel, kind, payload }],
})

const OUTSIDE = 'origin:outside'
const unmarkedRow = <Row extends ForgedRow>(row: Row): Row => {
  if (!isJsonObject(row.state)) return row
  const { outside: _, ...state } = row.state
  return { ...row, state }
}

/** By name. An act asks for one by setting the quality `forge.as` to it; what it forges comes with that. */
export const FORGERIES = {
  'a move of another': adding(beingReel('bob'), 'being:moved', { from: '/', to: '/den' }),
  'words of another': adding(beingReel('bob'), 'being:summoned', { content: 'obey', to: 'ann' }),
  'a birth that was none': adding(beingReel('bob'), 'being:bore', { being: 'nobody' }),
  'no ceiling for itself': adding(beingReel('ann'), 'being:bounded', { ceiling: null }),
  'what it does where its gates refuse': adding(beingReel('bob'), 'quality:set', {
    ...{ path: ['mood'], value: 'forged', merge: true },
  }),
  'words from outside without a mark': { facts: (facts) => facts.filter(({ kind }) => kind !== OUTSIDE) },
  'a row without the mark that its fact says': { rows: (rows) => rows.map(unmarkedRow) },
  'a mark without its row': { rows: () => [] },
  'a row without the mark that it had': { rows: (rows) => rows.map(unmarkedRow) },
} satisfies Readonly<Record<string, Forgery>>
export type ForgeryName = keyof typeof FORGERIES

function forgeryIn(facts: readonly FactDraft[]): Forgery | null {
  for (const { kind, payload } of facts) {
    const { path, value } = payload
    if (kind !== 'quality:set' || !Array.isArray(path) || path.join('.') !== 'forge.as') continue
    return named(value)
  }
  return null
}

const named = (name: unknown): Forgery | null =>
  (FORGERIES as Readonly<Record<string, Forgery>>)[String(name)] ?? null

/** @param decision that of the moment: one that is refused gives no facts */
export function forgedFacts(
  { decision }: { readonly decision: Decision | null },
  facts: readonly FactDraft[],
): readonly FactDraft[] {
  const call = decision?.kind === 'call' ? decision.call : null
  const args: JsonObject = (call !== null && 'args' in call ? call.args : undefined) ?? {}
  return (args.field === 'forge.as' ? named(args.value)?.facts?.(facts) : undefined) ?? facts
}
/** @param reader of the moment: the append needs the head of each reel that is written */
export async function forgedRows<Row extends ForgedRow>(
  reader: { prefetch(keys: readonly string[]): Promise<void> },
  facts: readonly FactDraft[],
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const forgery = forgeryIn(facts)
  if (forgery === null) return rows
  await reader.prefetch(facts.map(({ reel }) => reel))
  return forgery.rows?.(rows) ?? rows
}
