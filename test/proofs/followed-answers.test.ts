/** An answer lists whose answers it followed: both offline verifiers derive the list. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { summon } from '@treeos/client'
import type { Json } from '@treeos/core'
import { exportBundle } from '@treeos/proofs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import relay, { type RelayTask } from '../support/relay.ts'
import { expectReplays } from '../support/replays.ts'
import { useWorld } from '../support/use-world.ts'
import { type Line, linesOf, summed } from './bundle-lines.ts'
import { mendedBundle } from './mutations.ts'
import { SecondVerifier } from './second-opinion.ts'
import { askBoth } from './two-opinions.ts'

const world = useWorld({ extensions: [relay] })
const folder = mkdtempSync(join(tmpdir(), 'treeos-followed-'))
const second = new SecondVerifier()
afterAll(() => {
  second.close()
  rmSync(folder, { recursive: true })
})

let lines: Line[]
beforeAll(async () => {
  for (const name of ['desk', 'billing', 'legal'])
    await world.birth({ name, cognition: 'scripted', script: 'relay:relayed', role: 'relay:desk' })
  const asking = (being: string) => ({ ask: `@${being}`, to: { say: being } as const }) as const
  const task: RelayTask = {
    plan: [asking('billing'), 'look', asking('legal'), asking('billing'), 'touch', 'answer'],
  }
  const asked = { target: 'desk', as: 'operator', waitSeconds: 30, requireReply: true }
  await summon(world, { ...asked, content: task as unknown as Json })
  await summon(world, { ...asked, content: { say: 'nobody else was asked' } })
  const file = join(folder, 'all.jsonl')
  await exportBundle(world.db, world.reality, { log: null, file })
  lines = linesOf(readFileSync(file)).map((line) => JSON.parse(line))
})

const opinions = async (all: readonly Line[]) => {
  const bundle = summed(all.map((line) => JSON.stringify(line)))
  const { first, second: other } = await askBoth(second, { bundle, key: null })
  return [first.status, other.status]
}
const answersIn = (all: readonly Line[]) =>
  all.filter(
    ({ kind, reel, header, payload }) =>
      kind === 'fact' &&
      reel === 'being:desk' &&
      header.kind === 'being:summoned' &&
      payload.to === 'operator',
  )
const heardIn = (all: readonly Line[]) =>
  all.filter(({ kind, being, open }) => kind === 'moment' && being === 'desk' && open.heard !== undefined)

it('an answer lists whose answers it followed, each once in the order in which they came', () => {
  expect(answersIn(lines).map(({ payload }) => payload.followed)).toEqual([['billing', 'legal'], undefined])
  expect(heardIn(lines).map(({ open }) => open.heard)).toEqual([
    ['billing'],
    ['billing'],
    ['billing', 'legal'],
    ['billing', 'legal'],
    ['billing', 'legal'],
  ])
})

it('the list replays, and both offline verifiers find it whole', async () => {
  await expectReplays(world)
  expect(await opinions(lines)).toEqual(['unproven', 'unproven'])
})

it.each<readonly [string, (all: Line[]) => void]>([
  ['an answer that leaves one out', (all) => void answersIn(all)[0]?.payload.followed.pop()],
  ['an answer that lists nobody', (all) => void delete answersIn(all)[0]?.payload.followed],
  [
    'an answer that lists whom it did not follow',
    (all) => {
      for (const { payload } of answersIn(all).slice(1)) payload.followed = ['legal']
    },
  ],
  ['a moment that leaves one out', (all) => void heardIn(all)[2]?.open.heard.pop()],
  ['a moment that has heard whom it did not', (all) => void heardIn(all)[0]?.open.heard.push('legal')],
])('both offline verifiers find %s', async (_, forge) => {
  const all = structuredClone(lines)
  forge(all)
  expect(await opinions(mendedBundle(all))).toEqual(['broken', 'broken'])
})
