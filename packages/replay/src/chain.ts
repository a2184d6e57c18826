import {
  actDigest,
  type Db,
  digestOf,
  findEntry,
  listFactsOfMoment,
  type OpenRecord,
  readDecisionBytes,
  readOpen,
  type StoredOutcome,
  saltedDigest,
} from '@treeos/chain'
import type { BeingName, HeadRef, Json, JsonObject, PinnedStack } from '@treeos/core'
import type { RoleSpec } from '@treeos/roles'
import { composeMoment, lookAround, type Parts, type Program, type Seen, WorldReader } from '@treeos/world'
import { Comparison, type Mismatch } from './mismatch.ts'
import type { Past } from './past.ts'

/** What chain replay works with. */
export interface ChainWitness {
  readonly db: Db
  readonly parts: Parts
  readonly past: Past
}

/**
 * Lives every moment of a being again, from the reels alone: folds each reel up to the head that the moment cited, looks
 * around, evaluates, composes, and compares with what was recorded. No mind is asked; its answer is recorded.
 */
export async function replayFromChain(
  witness: ChainWitness,
  being: BeingName,
  outcomes: readonly StoredOutcome[],
): Promise<Mismatch[]> {
  const mismatches: Mismatch[] = []
  let lastSealed: OpenRecord['lastSealed'] = null
  for (const outcome of outcomes) {
    const compare = new Comparison(being, outcome.n, 'chain')
    try {
      await replayMoment(witness, outcome, lastSealed, compare)
    } catch (error) {
      compare.differ('moment', outcome.moment, error instanceof Error ? error.message : String(error))
    }
    mismatches.push(...compare.mismatches)
    if (outcome.kind === 'act') lastSealed = { sealedAt: outcome.sealedAt, primary: outcome.primary ?? '' }
  }
  return mismatches
}

async function replayMoment(
  { db, parts, past }: ChainWitness,
  outcome: StoredOutcome,
  lastSealed: OpenRecord['lastSealed'],
  compare: Comparison,
): Promise<void> {
  const { record } = outcome
  const stored = await readOpen(db, outcome.moment)
  if (stored === null) return compare.differ('open', record.open, null)
  const open = stored.record
  compare.same('open', record.open, digestOf(open as unknown as Json))
  compare.same('lastSealed', open.lastSealed, lastSealed)
  const basis = stored.basis as unknown as HeadRef[]
  const seen = await lookAgain(past, parts, outcome, open, basis)
  compare.same('program', open.program, digestOf(seen.program as unknown as Json))
  compare.same('context', open.context, seen.context)
  compare.same('heads', open.heads, seen.heads)
  compare.same('basis', open.basis, digestOf(seen.basis as unknown as Json))
  compare.same('face', open.face, seen.face === null ? null : digestOf(seen.face as unknown as Json))
  await compareCaller(past, open, compare)
  if (record.reason === 'superseded') return // an older life opened it, and nothing was decided

  const stack = seen.result.skip === undefined ? pin(seen.program, seen.result) : null
  compare.same('stack', record.stack, stack)
  compare.same('stackDigest', record.stackDigest, stack === null ? null : digestOf(stack as unknown as Json))
  if (stack !== null && seen.face !== null) {
    const surface = digestOf(seen.face.surface as unknown as Json)
    compare.same('surfaceDigest', record.surfaceDigest, surface)
    // Null: the worker that lived it lacked the code of a role, and nothing was said or done on that prompt.
    if (record.promptDigest !== null) {
      compare.same('promptDigest', record.promptDigest, await promptAgain(db, past, parts, open, stack, seen))
    }
  }
  await compareAct(db, outcome, compare)
}

async function lookAgain(
  past: Past,
  parts: Parts,
  outcome: StoredOutcome,
  open: OpenRecord,
  basis: readonly HeadRef[],
): Promise<Seen> {
  const reader = new WorldReader(past.at(basis))
  const me = await reader.being(outcome.being)
  if (me === null) throw new Error(`@${outcome.being} was not born at the head this moment cites`)
  const { verb, caller, openedAt, zone, hour, dayOfWeek, lastSealed, asked } = open
  const time = { openedAt, zone, hour, dayOfWeek } // data: time-zone tables change
  return lookAround(reader, parts, { me, verb, caller, time, lastSealed, asked, asker: caller?.name ?? null })
}

function pin(
  program: Program,
  { primary, stacked }: { primary: string; stacked: readonly string[] },
): PinnedStack {
  const pinned = (name: string) => ({ name, digest: program.roles[name]?.digest ?? '' })
  return { primary: pinned(primary), stacked: stacked.map(pinned) }
}

async function promptAgain(
  db: Db,
  past: Past,
  parts: Parts,
  open: OpenRecord,
  stack: PinnedStack,
  seen: Seen,
): Promise<string> {
  const specs = await Promise.all([stack.primary, ...stack.stacked].map((role) => past.kept(role.digest)))
  if (seen.face === null) throw new Error('there is no face to compose over')
  const content = (await findEntry(db, open.wake.id))?.content ?? null
  const { prompt, missing } = composeMoment(parts, specs as unknown as RoleSpec[], seen.face, {
    openedAt: open.openedAt,
    content,
  })
  if (missing !== null)
    throw new Error(`the prompt of ${missing} is code of a version that is not loaded here`)
  return digestOf(prompt as unknown as Json)
}

/** The caller of a summon is what the fact on the caller's own reel says. */
async function compareCaller(past: Past, open: OpenRecord, compare: Comparison): Promise<void> {
  if (open.wake.kind !== 'summon') return
  if (open.caller === null || open.wake.cause === null)
    return compare.differ('caller', open.caller as unknown as Json, null)
  const reel = await past.reel(`being:${open.caller.name}`)
  const cause = reel.findByHash(open.wake.cause)
  const said: JsonObject = cause?.payload ?? {}
  compare.same('caller', open.caller, {
    name: cause?.header.actor ?? null,
    role: said.role ?? null,
    cognition: said.cognition ?? null,
  })
}

/** The act's facts carry its moment, and its digest is of what was decided and what was written. */
async function compareAct(db: Db, outcome: StoredOutcome, compare: Comparison): Promise<void> {
  const { record } = outcome
  const facts = await listFactsOfMoment(db, outcome.moment)
  const cited = facts.map(({ reel, seq, hash }): HeadRef => [reel, seq, hash])
  compare.same('facts', sortRefs(record.facts), sortRefs(cited))
  const answer = await readDecisionBytes(db, outcome.moment)
  if (record.decision !== null && answer !== null) {
    compare.same('decision', record.decision, saltedDigest(answer.salt, answer.bytes))
  }
  const hashes = record.facts.map(([, , hash]) => hash)
  const act = actDigest({ moment: outcome.moment, decision: record.decision ?? '', facts: hashes })
  compare.same('act', record.act, outcome.kind === 'act' ? act : null)
}

const sortRefs = (refs: readonly HeadRef[]) =>
  [...refs].sort(([a, i], [b, j]) => (a === b ? i - j : a < b ? -1 : 1))
