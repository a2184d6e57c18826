import type { ReelId } from '@treeos/core'
import {
  areFacts,
  type BeingRow,
  conclude,
  factsIn,
  nothingLive,
  type RecordedEnd,
  WorldReader,
} from '@treeos/world'
import { at, isArray, type Json, same } from '../canonical.ts'
import { faultOfFacts } from '../due/fault-of-facts.ts'
import { isPayloadOf } from '../forms/forms.ts'
import { factHash, isHash, saltedHash, valueHash } from '../hash.ts'
import { isHeaderOf } from '../header.ts'
import { NotShownError } from '../missing-reel.ts'
import type { Moment } from '../moment.ts'
import { lacksMark } from '../origin.ts'
import { decidedIn, OWN } from './judge.ts'
import { need } from './need.ts'
import type { Parts } from './witness.ts'
import type { WitnessReels } from './witness-reels.ts'

/**
 * Checks the facts that the moment wrote, which a receipt brings with it: they have the hashes in its record, and are what its decision
 * yields.
 * @returns in words, what of them is said by the record alone
 * @throws {Error} for facts that are not so
 */
export async function checkOwnFacts(witness: Parts, world: WitnessReels, me: BeingRow): Promise<string[]> {
  const { facts, moment } = witness
  const { record, open, decision } = moment
  const refs = at(record, 'facts')
  const links = isArray(facts) ? facts : []
  need(
    isArray(refs) && refs.length === links.length,
    'it brings other facts of the moment than its record names',
  )
  const due = [at(record, 'being'), at(open, 'driver'), at(open, 'wake', 'cause')].map(
    (value) => value ?? null,
  )
  const said = [...due, at(record, 'openedAt') ?? null, at(record, 'stackDigest') ?? null]
  const erased: string[] = []
  const written: RecordedEnd['facts'][number][] = []
  for (const [i, link] of links.entries()) {
    const [reel, seq, hash] = (refs as readonly Json[])[i] as readonly Json[]
    const [prev, header = null, salt, payload = null] = isArray(link) && link.length === 4 ? link : []
    const what = `fact ${seq} of ${reel}, which it wrote,`
    const isIt = isHash(prev) && isHeaderOf(header, reel, seq) && factHash(prev, header) === hash
    need(isIt, `${what} is another one`)
    const own = [
      at(header, 'actor'),
      at(header, 'driver'),
      at(header, 'cause'),
      at(header, 'at'),
      at(header, 'stack'),
    ]
    const isOfMoment = at(header, 'moment') === at(record, 'moment')
    need(
      isOfMoment &&
        same(
          own.map((value) => value ?? null),
          said,
        ),
      `${what} says otherwise who acted, and when`,
    )
    if (salt === null && payload === null) erased.push(`what ${what} says: it was erased`)
    else
      need(
        isHash(salt) &&
          isPayloadOf(String(at(header, 'kind')), payload) &&
          saltedHash(salt, payload) === at(header, 'payloadHash'),
        `${what} has another payload`,
      )
    written.push({ reel: String(reel), kind: String(at(header, 'kind')), payload: payload as never })
  }
  const wasMarked = (reel: string, name: Json) => {
    const seq = world.shown.get(reel)?.head[0]
    return seq === undefined ? null : world.origins.marksAt(reel, seq, name)
  }
  const isMarked = at(open, 'outside') !== true || !lacksMark(written, wasMarked)
  need(isMarked, 'what it wrote holds words from outside, and has no mark')
  const [role = null] = witness.specs
  const inputs = { moment: moment as unknown as Moment, role, target: witness.target, rowOf: world.knownRow }
  const fault = faultOfFacts(written, inputs)
  need(fault === null, String(fault))
  if (written.length === 0 && at(record, 'outcome') !== 'act') return erased
  const isDerived = await areDerived(witness, world, me, written)
  const call = at(decision, 'call')
  const key = String(at(call, 'operation') ?? at(call, 'verb'))
  return [...erased, ...(isDerived ? [] : [`the facts of ${key}: they are said by its record`])]
}

/**
 * Asks the law for the facts of a call of TreeOS itself, where the witness shows all that it reads.
 * @returns false where it does not
 * @throws {Error} where the law gives others
 */
async function areDerived(
  witness: Parts,
  world: WitnessReels,
  me: BeingRow,
  written: RecordedEnd['facts'],
): Promise<boolean> {
  const outcome = at(witness.moment.record, 'outcome')
  const decided = decidedIn(witness, me)
  const { call } = decided.decision
  const isOfCode =
    (call.verb === 'do' && !OWN.operations.has(call.operation)) ||
    (call.verb === 'be' && !OWN.beOperations.has(call.operation))
  if (isOfCode || decided.hasEffect === true) return false
  const refs = at(witness.moment.record, 'facts') as unknown as readonly (readonly [ReelId, number])[]
  const empty = new Set(refs.flatMap(([reel, seq]) => (seq === 1 ? [reel] : [])))
  const comesTo = async (root: string) => {
    const reader = new WorldReader(world.source({ empty }))
    const over = { reader, live: NOT_SHOWN, registry: OWN, asksDryRun: true, goesOn: false } as const
    const open = { ...decided.open, wake: { ...decided.open.wake, root } }
    const conclusion = await conclude(
      { ...decided, open },
      { ...over, digest: (value) => valueHash(value as Json) },
    )
    return conclusion.kind === outcome ? factsIn(conclusion) : null
  }
  try {
    const facts = await comesTo(decided.open.wake.root)
    if (facts === null) return false // it takes a name that only the loaded extensions know
    const isSame = areFacts(facts, written) || areFacts((await comesTo(decided.open.wake.id)) ?? [], written)
    need(isSame, 'its call comes to other facts than it wrote')
    return true
  } catch (error) {
    if (error instanceof NotShownError) return false
    throw error
  }
}

const notShown = async () => {
  throw new NotShownError('a receipt does not tell it')
}
/** No reel holds entries of inboxes, what askers could do, or threads. */
const NOT_SHOWN = nothingLive({ entry: notShown, asker: notShown, thread: notShown })
