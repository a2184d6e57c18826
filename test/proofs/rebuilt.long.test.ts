/**
 * A generated world is rebuilt from the chain alone and from Temporal's histories alone, and every digest of
 * every moment compared with what was recorded. `TREEOS_REBUILT=10000` lives so many moments;
 * `TREEOS_REBUILT_SEED` repeats the choices of a run.
 */
import proto from '@temporalio/proto'
import { summon } from '@treeos/client'
import { type BeingName, type JsonObject, TreeosError } from '@treeos/core'
import { fetchRuns, replay, replayFromTemporal, type WorkflowRun } from '@treeos/replay'
import { findOutcomeOfWake, listOutcomes } from '@treeos/store'
import { expect, it, vi } from 'vitest'
import { newSeed, Random } from '../faults/random.ts'
import { tamper } from '../store/tampered-chains.ts'
import { createSpace, publish, until } from '../support/life.ts'
import { stage } from '../support/puppet.ts'
import { expectReplays, openReplayer } from '../support/replays.ts'
import { useWorld } from '../support/use-world.ts'
import { atRest } from './battery/small-world.ts'

const MOMENTS = Number(process.env.TREEOS_REBUILT ?? 60)
const SEED = Number(process.env.TREEOS_REBUILT_SEED ?? newSeed())
const isFull = MOMENTS >= 1000
/** Persons who summon at the same time, and the beings that they summon. */
const [SPEAKERS, BEINGS] = isFull ? [16, 120] : [3, 5]
vi.setConfig({ testTimeout: 3_600_000 })

const world = useWorld({ extensions: [stage] })
const random = new Random(SEED)
const beings = Array.from({ length: BEINGS }, (_, i) => `being-${i}`)

async function populate(): Promise<void> {
  await publish(world, 'bell.rings', 0)
  for (const path of ['/east', '/west']) await createSpace(world, path)
  const modes = [3, 5, 7].map((n) => ({
    stack: true,
    when: { 'me.quality.mood.is': { gte: 10 * n } },
    role: `stage:mode-${n}`,
  }))
  await inLanes(beings, 8, (name, i) =>
    world.birth({
      name,
      cognition: 'scripted',
      script: 'stage:puppet',
      role: 'stage:free',
      home: i % 2 === 0 ? '/east' : '/west',
      // Every tenth is woken by the signal.
      roleFlow:
        i % 10 === 0
          ? [...modes, { when: { 'world.bell.rings': { gte: 2 } }, role: 'stage:free' }]
          : [...modes, { role: 'stage:free' }],
    }),
  )
  for (let i = 0; i < SPEAKERS; i++)
    await world.birth({ name: `speaker-${i}`, cognition: 'human', role: 'stage:free' })
}

async function inLanes<T>(items: readonly T[], width: number, run: (item: T, i: number) => Promise<unknown>) {
  const rest = items.entries()
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (const [i, item] of rest) await run(item, i)
    }),
  )
}

let said = 0
function anyContent(): JsonObject | string {
  said += 1
  const mood = (value: number): JsonObject => ({
    verb: 'do',
    operation: 'set-being',
    args: { field: 'mood.is', value },
  })
  const calls: readonly JsonObject[] = [
    mood(random.between(1, 100)),
    mood(random.between(1, 100)),
    { verb: 'summon', target: `@${random.pick(beings)}`, content: { call: mood(random.between(1, 100)) } },
    { verb: 'summon', target: `@${random.pick(beings)}`, content: `hello ${said}` },
    { verb: 'summon', content: `so it is, ${said}` },
    { verb: 'do', operation: 'create-space', target: '/east', args: { path: `/east/room-${said}` } },
    { verb: 'see', address: '/west' },
    { verb: 'do', operation: 'no-such-action', args: {} },
  ]
  const n = random.between(0, calls.length)
  return n === calls.length ? `nothing to do, ${said}` : { call: calls[n] as JsonObject }
}

const lived = async (): Promise<number> =>
  (
    await world.db
      .selectFrom('moment_outcome')
      .select(({ fn }) => fn.countAll<number>().as('moments'))
      .executeTakeFirstOrThrow()
  ).moments

/** Summons until there are so many moments. */
async function speak(as: BeingName, isDone: () => boolean): Promise<void> {
  while (!isDone()) {
    let correlation = ''
    const onSent = (id: string) => {
      correlation = id
    }
    const request = { target: random.pick(beings), content: anyContent(), as, waitSeconds: null, onSent }
    // On a busy machine the person's own act may take longer than a client waits for it.
    await summon({ ...world, person: as }, request).catch(unlessLate)
    await until(() => findOutcomeOfWake(world.db, correlation), { seconds: 600, what: 'the end of a moment' })
  }
}

function unlessLate(error: unknown): void {
  if (!(error instanceof TreeosError) || error.code !== 'TIMEOUT') throw error
}

async function liveAll(): Promise<number> {
  let moments = await lived()
  const counting = setInterval(() => void lived().then((count) => (moments = count)), 500)
  try {
    await Promise.all([
      ...Array.from({ length: SPEAKERS }, (_, i) => speak(`speaker-${i}`, () => moments >= MOMENTS)),
      (async () => {
        for (let rings = 1; moments < MOMENTS; rings++) {
          await publish(world, 'bell.rings', rings).catch(unlessLate)
          await until(() => moments >= Math.min(MOMENTS, (MOMENTS / 20) * rings), { seconds: 600 })
        }
      })(),
    ])
  } finally {
    clearInterval(counting)
  }
  await atRest(world)
  return lived()
}

it(`all moments are rebuilt from the chain alone and from Temporal alone without a differing digest, seed ${SEED}`, async () => {
  const began = performance.now()
  await populate()
  const moments = await liveAll()
  const livedAt = performance.now()
  expect(moments).toBeGreaterThanOrEqual(MOMENTS)
  const byChain = await expectReplays(world, 'chain')
  const chainAt = performance.now()
  const byTemporal = await expectReplays(world, 'temporal')
  const temporalAt = performance.now()
  expect([byChain.moments, byTemporal.moments]).toEqual([moments, moments])
  const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(1)
  console.log(
    `seed ${SEED}: ${moments} moments of ${byChain.beings} beings lived in ${seconds(began, livedAt)} s, rebuilt from the chain in ${seconds(livedAt, chainAt)} s and from Temporal in ${seconds(chainAt, temporalAt)} s, 0 differing digests`,
  )
})

it('control: one changed row gives differing digests of the moments that rest on it', async () => {
  const call: JsonObject = { verb: 'do', operation: 'set-being', args: { field: 'mood.is', value: 50 } }
  const request = { target: beings[0] ?? '', content: { call }, as: 'speaker-0', waitSeconds: 60 }
  await summon({ ...world, person: 'speaker-0' }, request)
  await atRest(world)
  const fact = await world.db
    .selectFrom('fact')
    .select(['reel', 'seq', 'moment'])
    .where('kind', '=', 'quality:set')
    .where('reel', 'like', 'being:being-%')
    .where('moment', 'like', 'being-%')
    .orderBy('moment')
    .executeTakeFirstOrThrow()
  const where = `where reel = '${fact.reel}' and seq = ${fact.seq}`
  await tamper(world, `create table public.kept as select reel, seq, bytes from treeos.fact ${where}`)
  const change = `convert_to(regexp_replace(convert_from(bytes, 'UTF8'), ':\\d+', ':101'), 'UTF8')`
  await tamper(world, `update treeos.fact set bytes = ${change} ${where}`)
  const { mismatches } = await replay(world, { beings: [fact.reel.slice('being:'.length)], from: 'chain' })
  await tamper(
    world,
    `update treeos.fact f set bytes = k.bytes from public.kept k where f.reel = k.reel and f.seq = k.seq`,
  )
  expect(mismatches.map(({ being, n }) => `${being} ${n}`)).toContain(placeOf(fact.moment ?? ''))
  expect((await replay(world, { beings: null, from: 'chain' })).mismatches).toEqual([])
})

const placeOf = (moment: string): string => moment.replace(/^(.*)\/\d+\/(\d+)$/, '$1 $2')

it('control: one changed history gives differing digests of its moment', async () => {
  const being = 'speaker-0'
  const runs = await fetchRuns(world.temporal, world.reality.name, being, null)
  const [changed, n] = withOtherRecord(runs)
  const mismatches = await replayFromTemporal(
    await openReplayer(),
    being,
    changed,
    await listOutcomes(world.db, being),
  )
  expect(mismatches.map(({ n }) => n)).toContain(n)
})

/** The record of the first moment whose end the histories attest has another hash. */
function withOtherRecord(runs: readonly WorkflowRun[]): [WorkflowRun[], number] {
  const { History } = proto.temporal.api.history.v1
  let opened = 0
  let found: number | null = null
  const changed = runs.map((run) => {
    const history = History.decode(History.encode(run.history).finish())
    for (const { markerRecordedEventAttributes: marker } of history.events) {
      const payload = marker?.details?.result?.payloads?.[0]
      const text = Buffer.from(payload?.data ?? []).toString('utf8')
      opened = Number(/"moment":"[^"/]+\/\d+\/(\d+)"/.exec(text)?.[1] ?? opened)
      if (found !== null || !payload || !text.includes('"record":"')) continue
      found = opened
      payload.data = Buffer.from(
        text.replace(/"record":"(.)/, (_, digit) => `"record":"${digit === '0' ? 1 : 0}`),
      )
    }
    return { ...run, history }
  })
  if (found === null) throw new Error('no history holds the hash of a record')
  return [changed, found]
}
