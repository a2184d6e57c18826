/** Ways to forge the statement of a receipt. */
import { createHash } from 'node:crypto'
import type { Json, JsonObject } from '@treeos/core'
import type { Verdict } from '@treeos/verify'
import type { Random } from '../faults/random.ts'

export type ShownFact = [JsonObject, string | null, JsonObject | null]
interface Gap {
  to: number
  hash: string
}
/** The statement of a receipt, as far as forgers change it. */
export interface Statement {
  subject: [{ name: string; digest: { sha256: string } }]
  predicate: {
    reality: string
    verdict: Verdict
    target: string
    surface: Record<string, Json[]>
    specs: Record<string, Json>[]
    program: { flow: Json[]; defaultRole: Json; roles: Record<string, { digest: string }> }
    reels: Record<string, (ShownFact | Gap)[]>
    facts: [string, JsonObject, string | null, JsonObject | null][]
    moment: {
      record: Record<string, Json>
      open: Record<string, Json>
      decision: Record<string, Json>
      basis: Json[]
      judged: Json
      prev: string
      salt: string
    }
  }
}

const factsIn = ({ reels }: Statement['predicate']): ShownFact[] =>
  Object.values(reels)
    .flat()
    .filter((shown) => Array.isArray(shown))

const LISTS = ['canSee', 'canDo', 'canSummon', 'canBe']
/**
 * Each changes a true statement into one that claims something else.
 * @returns false when there is nothing of the kind in it
 */
export const FORGERS: readonly (readonly [string, (statement: Statement, draw: Random) => unknown])[] = [
  [
    'no fact of its act',
    ({ predicate }) => {
      if (predicate.facts.length === 0) return false
      return predicate.facts.splice(0).length
    },
  ],
  [
    'another word in a fact of its act',
    ({ predicate }, draw) => {
      const said = predicate.facts.flatMap(([, , , payload]) => (payload === null ? [] : [payload]))
      if (said.length === 0) return false
      return Object.assign(draw.pick(said), { planted: true })
    },
  ],
  [
    'another verdict',
    ({ predicate }, draw) => {
      predicate.verdict = draw.pick(
        (['refused', 'permitted', 'asked', 'seen-to-run', 'not-known'] as const).filter(
          (one) => one !== predicate.verdict,
        ),
      )
    },
  ],
  [
    'a wider surface',
    ({ predicate }, draw) => {
      predicate.surface[draw.pick(LISTS)]!.push({ pattern: `*${draw.between(0, 9)}` })
    },
  ],
  [
    'a wider role',
    ({ predicate }, draw) => {
      draw.pick(predicate.specs)[draw.pick(LISTS)] = [{ pattern: '*' }, 'x']
    },
  ],
  [
    'another flow',
    ({ predicate }, draw) => {
      predicate.program.flow = [
        ...predicate.program.flow,
        { role: draw.pick(Object.keys(predicate.program.roles)) },
      ]
    },
  ],
  [
    'a rule that the record does not name',
    ({ predicate }) => {
      predicate.moment.record.by = ['canDo: {"pattern":"*"}', 'do x: anyone']
    },
  ],
  [
    'a refusal made an act',
    ({ predicate: { moment } }) => {
      if (moment.record.outcome !== 'failure') return false
      Object.assign(moment.record, { outcome: 'act', reason: null })
    },
  ],
  [
    'another call',
    ({ predicate: { moment } }) => {
      moment.decision.call = { verb: 'do', operation: 'end-being', target: '@clerk', args: {} }
    },
  ],
  [
    'another target',
    ({ predicate }, draw) => {
      predicate.target = draw.pick(
        ['/', '@operator', '/den', '@clerk', '/court'].filter((one) => one !== predicate.target),
      )
    },
  ],
  [
    'another reality',
    ({ predicate }) => {
      predicate.reality = predicate.reality.replace(/[0-9]/, (digit) => String((Number(digit) + 1) % 10))
    },
  ],
  [
    'another subject',
    ({ subject }) => {
      subject[0].digest.sha256 = subject[0].digest.sha256.replace(/./, (digit) => (digit === 'a' ? 'b' : 'a'))
    },
  ],
  [
    'a fact left out',
    ({ predicate }, draw) => {
      const reel = draw.pick(Object.values(predicate.reels).filter((links) => links.length > 0))
      return reel.splice(draw.between(0, reel.length - 1), 1).length === 1
    },
  ],
  [
    'a fact of another lineage, ceiling, owner or rule',
    ({ predicate }, draw) => {
      const links = factsIn(predicate).filter(([, , payload]) => payload !== null)
      const payload = draw.pick(links)[2] as Record<string, Json>
      const field = draw.pick(Object.keys(payload))
      payload[field] = payload[field] === null ? 'operator' : null
    },
  ],
  [
    'a changed header',
    ({ predicate }, draw) => {
      const [header] = draw.pick(factsIn(predicate))
      ;(header as Record<string, Json>)[draw.pick(['actor', 'kind', 'at', 'code'])] = 'mallory'
    },
  ],
  [
    'a gap that is longer, shorter or nowhere in the log',
    ({ predicate }, draw) => {
      const found = Object.values(predicate.reels).flatMap((links) =>
        links.flatMap((link, i) => (Array.isArray(link) ? [] : [{ links, gap: link, i }])),
      )
      if (found.length === 0) return false
      const { links, gap, i } = draw.pick(found)
      const kind = draw.between(0, 3)
      if (kind === 0) gap.to += draw.pick([-1, 1])
      else if (kind === 1) gap.hash = gap.hash.replace(/./, (digit) => (digit === 'a' ? 'b' : 'a'))
      else links.splice(kind === 2 ? i - 1 : i, 1)
      return `kind ${kind}`
    },
  ],
  [
    'a gap that is not in the log',
    ({ predicate }, draw) => {
      const found = Object.values(predicate.reels).filter((links) => links.length > 3)
      if (found.length === 0) return false
      const links = draw.pick(found)
      const at = draw.between(1, links.length - 2)
      const hash = createHash('sha256').update(String(at)).digest('hex')
      links.splice(at, 1, { to: at + 1, hash })
    },
  ],
  [
    'a reel left out',
    ({ predicate }, draw) => delete predicate.reels[draw.pick(Object.keys(predicate.reels))],
  ],
  [
    'a changed open record',
    ({ predicate: { moment } }, draw) => {
      moment.open[draw.pick(['openedAt', 'driver', 'asked', 'context', 'basis', 'n'])] = 'other'
    },
  ],
  [
    'another basis',
    ({ predicate: { moment } }, draw) => {
      moment.basis.splice(draw.between(0, moment.basis.length - 1), 1)
    },
  ],
  [
    'another head than that from which it was judged, or none',
    ({ predicate: { moment } }, draw) => {
      const shown = [...moment.basis.keys()].filter((place) => Array.isArray(moment.basis[place]))
      const place = draw.pick(shown)
      const [reel, seq, hash, salt] = moment.basis[place] as Json[]
      moment.basis[place] = draw.pick<Json>([hash!, salt!, [reel!, Number(seq) + 1, hash!, salt!]])
    },
  ],
  [
    'another rule of an operation of TreeOS itself',
    ({ predicate }) => {
      const { verb, operation } = (predicate.moment.decision as { call: Record<string, Json> }).call
      const isOwn = (verb === 'do' || verb === 'be') && !String(operation).includes(':')
      if (!isOwn) return false
      Object.assign(predicate, { fallback: ['anyone', 'self'] })
    },
  ],
  [
    'another hour or weekday',
    ({ predicate: { moment } }, draw) => {
      const field = draw.pick(['hour', 'dayOfWeek'])
      moment.open[field] = (Number(moment.open[field]) + 1) % 7
    },
  ],
  [
    'any leaf changed',
    ({ predicate }, draw) => {
      const { fallback: _f, ...rest } = predicate as unknown as Record<string, Json>
      return changeLeaf(rest, draw)
    },
  ],
]

/** @returns what it changed */
function changeLeaf(root: Record<string, Json>, draw: Random): string {
  const leaves: [Record<string, Json>, string][] = []
  const walk = (inside: Record<string, Json>) => {
    for (const name of Object.keys(inside)) {
      const item = inside[name]
      if (typeof item === 'object' && item !== null) walk(item as Record<string, Json>)
      else leaves.push([inside, name])
    }
  }
  walk(root)
  const [inside, name] = draw.pick(leaves)
  const was = inside[name]
  inside[name] =
    typeof was === 'number' ? was + 1 : typeof was === 'boolean' ? !was : was === null ? 'x' : `${was}x`
  return `${name}: ${JSON.stringify(was)} to ${JSON.stringify(inside[name])}`
}
