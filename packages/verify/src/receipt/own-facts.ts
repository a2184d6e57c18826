import { at, isArray, isObject, type Json, same } from '../canonical.ts'
import { checkFacts, inOrder } from '../facts.ts'
import { factHash, isHash, saltedHash } from '../hash.ts'
import { isHeaderOf } from '../header.ts'
import { lacksMark } from '../origin.ts'
import { need } from './need.ts'
import type { Parts } from './witness.ts'
import type { WitnessReels } from './witness-reels.ts'

/**
 * Checks the facts that the moment wrote, which a receipt brings with it: they have the hashes in its record, and are what its decision
 * yields.
 * @returns in words, what of them is said by the record alone
 * @throws {Error} for facts that are not so
 */
export function checkOwnFacts({ facts, moment, specs, target }: Parts, world: WitnessReels): string[] {
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
  const found = new Map<string, { kind: string; payload: Json }>()
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
        isHash(salt) && isObject(payload) && saltedHash(salt, payload) === at(header, 'payloadHash'),
        `${what} has another payload`,
      )
    found.set(`${reel} ${seq}`, { kind: String(at(header, 'kind')), payload })
  }
  const stateOf = (reel: string) => {
    const head = world.shown.get(reel)?.head
    if (head === undefined) return null
    const { driver: _driver, budget: _budget, ...state } = world.states.at(reel, head[0]) ?? {}
    return state
  }
  const written = inOrder(refs, (reel, seq) => found.get(`${reel} ${seq}`))
  const role = specs[0] ?? null
  const doing = { record: isObject(record) ? record : {}, open, decision, role, target, stateOf }
  const { fault, attested } = checkFacts(written, doing)
  need(fault === null, String(fault))
  const wasMarked = (reel: string, name: Json) => {
    const seq = world.shown.get(reel)?.head[0]
    return seq === undefined ? null : world.origins.isMarked(reel, seq, name)
  }
  const isMarked = at(open, 'outside') !== true || !lacksMark(written, wasMarked)
  need(isMarked, 'what it wrote holds words from outside, and has no mark')
  return [...erased, ...attested]
}
