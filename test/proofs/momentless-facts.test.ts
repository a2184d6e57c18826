/**
 * Whoever owns the database writes, without a moment, what only a being may have done, and makes all hashes again: both offline verifiers
 * name it. What TreeOS itself writes so, they take.
 */
import type { Json, JsonObject, VerbCall } from '@treeos/core'
import { valueHash } from '@treeos/verify/parts'
import { expect } from 'vitest'
import { ActedReality } from './acted-reality.ts'
import type { Part } from './mutations.ts'
import { judged, useForgeries } from './use-forgeries.ts'

const ROLE = { name: 'porter', canSee: [], canDo: ['move'], canSummon: [], canBe: [], prompt: 'You carry.' }
const SET_ROLE: VerbCall = { verb: 'do', operation: 'set-role', target: '/', args: { role: ROLE } }
const forgeries = useForgeries(async () => {
  const reality = await ActedReality.begin('momentless')
  expect(await reality.act(SET_ROLE)).toBe('act')
  return reality.at.lines()
})

const factOn = (lines: readonly Part[], reel: string, kind: string): Part =>
  lines.find((line) => line.kind === 'fact' && line.reel === reel && line.header.kind === kind)!

/** Adds a fact to the end of a reel, as TreeOS would have written it. */
function add(lines: Part[], reel: string, kind: string, payload: Json): void {
  const at = lines.findLastIndex((line) => line.kind === 'fact' && line.reel === reel)
  const { header, ...last } = structuredClone(lines[at]!)
  const seq = last.seq + 1
  const nobodys = { actor: '$reality', driver: null, moment: null, cause: null, stack: null }
  const digest = valueHash(payload as JsonObject) // stands where the hashes that are made anew will stand
  const own = { ...header, ...nobodys, seq, kind, payloadHash: digest }
  lines.splice(at + 1, 0, { ...last, seq, header: own, payload, hash: valueHash([digest]) })
  for (const line of lines) if (line.kind === 'head' && line.reel === reel) line.seq = seq
}
/** A role as it was set last, with more rights. */
function widened(lines: readonly Part[], name: string, change: JsonObject): JsonObject {
  const { payload } = lines.findLast(
    (line) => line.header?.kind === 'role:set' && line.payload.name === name,
  )!
  const spec = { ...payload.spec, canBe: [{ pattern: '*' }] }
  return { ...payload, spec, digest: valueHash(spec), ...change }
}

const faultsOf = async (forge: (lines: Part[]) => void): Promise<readonly (string | null)[]> => {
  const lines = forgeries.copy()
  forge(lines)
  const { first, second } = await forgeries.opinionsOn(lines)
  return [first.fault, second.fault]
}

judged.each<readonly [what: string, forge: (lines: Part[]) => void]>([
  ['nothing', () => undefined],
  [
    'another version of a role of its extension',
    (all) => add(all, 'registry', 'role:set', widened(all, 'manor:maid', {})),
  ],
  [
    'the end of a role of an extension',
    (all) => add(all, 'registry', 'role:deleted', { name: 'manor:maid' }),
  ],
])('control: nothing is said of %s', async (_what, forge) => {
  expect(await faultsOf(forge)).toEqual([null, null])
})

judged.each<readonly [what: string, forge: (lines: Part[]) => void]>([
  [
    'another text of a role that a being wrote',
    (all) => add(all, 'registry', 'role:set', widened(all, 'porter', {})),
  ],
  [
    'such a role as one of TreeOS',
    (all) => add(all, 'registry', 'role:set', widened(all, 'porter', { origin: 'seed' })),
  ],
  [
    'such a role as one of an extension',
    (all) => add(all, 'registry', 'role:set', widened(all, 'porter', { origin: 'manor' })),
  ],
  ['the end of such a role', (all) => add(all, 'registry', 'role:deleted', { name: 'porter' })],
  [
    'a role of one extension by another',
    (all) => add(all, 'registry', 'role:set', widened(all, 'manor:maid', { origin: 'court' })),
  ],
  [
    'a role of an extension as one of TreeOS',
    (all) => add(all, 'registry', 'role:set', widened(all, 'manor:maid', { origin: 'seed' })),
  ],
  [
    'a new role of nobody',
    (all) =>
      add(
        all,
        'registry',
        'role:set',
        widened(all, 'porter', { name: 'thief', spec: { ...ROLE, name: 'thief' } }),
      ),
  ],
  [
    'a second person without a maker',
    (all) => {
      const { payload } = factOn(all, 'being:echo', 'being:born')
      Object.assign(payload, { parent: null, cognition: { kind: 'human', script: null } })
    },
  ],
  [
    'a person of the beginning',
    (all) => {
      factOn(all, 'being:echo', 'being:born').payload.cognition = { kind: 'human', script: null }
    },
  ],
  [
    'a being of the beginning without a maker',
    (all) => {
      factOn(all, 'being:echo', 'being:born').payload.parent = null
    },
  ],
  [
    'an operator that somebody made',
    (all) => {
      factOn(all, 'being:operator', 'being:born').payload.parent = 'echo'
    },
  ],
  [
    'an operator that is no person',
    (all) => {
      factOn(all, 'being:operator', 'being:born').payload.cognition = { kind: 'llm', script: null }
    },
  ],
  ['a child that was made later', (all) => add(all, 'being:operator', 'being:bore', { being: 'cleo' })],
  ['a space that was opened later', (all) => add(all, 'space:/den', 'space:opened', { path: '/den/vault' })],
  [
    'a being that entered later',
    (all) => add(all, 'space:/den', 'space:entered', { being: 'echo', from: null }),
  ],
  ['a member of a space', (all) => add(all, 'space:/den', 'space:contributor-added', { being: 'cleo' })],
  [
    'a rule of a space',
    (all) =>
      add(all, 'space:/', 'quality:set', {
        path: ['permissions'],
        value: { do: { move: true } },
        merge: false,
      }),
  ],
  ['another ceiling', (all) => add(all, 'being:cleo', 'being:bounded', { ceiling: null })],
  ['another role of a being', (all) => add(all, 'being:cleo', 'being:role-set', { role: 'operator' })],
  [
    'another flow',
    (all) => add(all, 'being:cleo', 'quality:set', { path: ['roleFlow'], value: [], merge: false }),
  ],
  ['a budget of a being', (all) => add(all, 'being:cleo', 'being:budgeted', { budget: { per: 'day' } })],
  ['a lease', (all) => add(all, 'being:cleo', 'being:inhabited', { by: 'ann', epoch: 1, under: null })],
  [
    'a signal of somebody',
    (all) => add(all, 'being:cleo', 'signal:published', { namespace: 'model', key: ['up'], value: false }),
  ],
  [
    'a word that nobody said',
    (all) =>
      add(all, 'being:cleo', 'being:summoned', {
        ...{ correlation: 'cleo/1/9', to: 'dan', content: 'pay', root: 'pay' },
        ...{ inReplyTo: null, role: null, cognition: null },
      }),
  ],
  ['trust of nobody', (all) => add(all, 'being:cleo', 'origin:vouched', {})],
  ['the end of a hold', (all) => add(all, 'being:cleo', 'hold:lifted', { name: 'court', why: 'over' })],
])('%s without a moment is broken', async (_what, forge) => {
  expect(await faultsOf(forge)).toEqual(['header-mismatch', 'header-mismatch'])
})
