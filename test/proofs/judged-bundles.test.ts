/**
 * Bundles of a record that somebody wrote anew with true hashes: each call is judged again by the law, over
 * the facts of the bundle.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportBundle } from '@treeos/proofs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSpace, doAs, play } from '../support/life.ts'
import { stage } from '../support/puppet.ts'
import { useWorld } from '../support/use-world.ts'
import { type Line, linesOf, summed, verifyBytes } from './bundle-lines.ts'
import { mendedBundle } from './mutations.ts'

const folder = mkdtempSync(join(tmpdir(), 'treeos-judged-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const world = useWorld({ extensions: [stage] })
let lines: Line[]

beforeAll(async () => {
  await world.birthPuppet('ann')
  await createSpace(world, '/den')
  await doAs(world, 'set-space', '/den', {
    field: 'permissions',
    value: { do: { move: { requires: ['anyone'] } } },
  })
  await play(world, 'ann', { verb: 'do', operation: 'move', target: '/den', args: {} })
  await doAs(world, 'set-space', '/den', {
    field: 'permissions',
    value: { see: { '*': { requires: ['operator'] } } },
  })
  await play(world, 'ann', { verb: 'see', address: '/den' })
  const file = join(folder, 'all.jsonl')
  await exportBundle(world.db, world.reality, { log: null, file })
  lines = linesOf(readFileSync(file)).map((line) => JSON.parse(line))
})

const check = (forged: readonly Line[]) =>
  verifyBytes(summed(forged.map((line) => JSON.stringify(line))), null)

const momentOf = (all: readonly Line[], verb: string): Line =>
  all.find((line) => line.kind === 'moment' && line.being === 'ann' && line.decision?.call?.verb === verb)!
const factOf = (all: readonly Line[], reel: string, kind: string): Line =>
  all.find((line) => line.kind === 'fact' && line.reel === reel && line.header.kind === kind)!

const FORGERIES: readonly (readonly [what: string, forge: (all: Line[]) => void])[] = [
  [
    'a rule of the place that would have refused an act, with the decision of who set it',
    (all) => {
      const value = { do: { move: { requires: ['operator'] } } }
      const fact = factOf(all, 'space:/den', 'quality:set')
      fact.payload.value = value
      const setting = all.find((line) => line.kind === 'moment' && line.record.moment === fact.header.moment)!
      setting.decision.call.args.value = value
    },
  ],
  [
    'the rules that are said to have allowed it',
    (all) => {
      momentOf(all, 'do').record.by = ['canDo: move', '/ permissions.do.move']
    },
  ],
  [
    'the reason of a refusal',
    (all) => {
      momentOf(all, 'see').record.reason = 'SPACE_NOT_FOUND'
    },
  ],
  [
    'a refused look that is said to have been allowed',
    (all) => {
      const { record } = momentOf(all, 'see')
      Object.assign(record, { reason: null, by: ['canSee: {"pattern":"*"}', '/den permissions.see.*'] })
    },
  ],
]

it('judges every call of a bundle that holds all reels', async () => {
  const { broken, unproven } = await check(lines)
  expect(broken).toEqual([])
  expect(unproven.filter((what) => what.startsWith('the permission'))).toEqual([])
})

it.each(FORGERIES)('notices %s', async (_, forge) => {
  const all = structuredClone(lines)
  forge(all)
  const { status, broken } = await check(mendedBundle(all))
  expect(status).toBe('broken')
  expect(broken.map(({ reason }) => reason)).toEqual(['law-mismatch'])
})
