/** Which model decided is part of what it decided: it is in bundle and receipt, as it was asked for and as its server named it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordedPrompt, summon } from '@treeos/client'
import { exportBundle, issueReceipt } from '@treeos/proofs'
import { parseKey, shownReceipt, verifyReceipt } from '@treeos/verify'
import { buildRegistry, seed } from '@treeos/world'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { setRole } from '../support/life.ts'
import { naiveLog, newLogKey } from '../support/naive-log.ts'
import { stage } from '../support/puppet.ts'
import { useModelServer, useWorld } from '../support/use-world.ts'
import { type Line, linesOf, summed } from './bundle-lines.ts'
import { mendedBundle, type Part } from './mutations.ts'
import { SecondVerifier, whyNoPython } from './second-opinion.ts'
import { askBoth } from './two-opinions.ts'

const folder = mkdtempSync(join(tmpdir(), 'treeos-models-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const model = useModelServer()
const world = useWorld({ extensions: [stage], modelServer: model })
const registry = buildRegistry([seed, stage])
const why = whyNoPython()
const judged = it.skipIf(why !== null)
let second: SecondVerifier
afterAll(() => second?.close())
let lines: Line[]
let asked: Record<string, unknown>

beforeAll(async () => {
  if (why === null) second = new SecondVerifier()
  await setRole(world, { name: 'desk', canSummon: [{ rel: 'asker' }], prompt: 'You answer.' })
  await world.birth({ name: 'thea', cognition: 'llm', role: 'desk' })
  model.script(() => ({
    completion: {
      model: 'owl-2026-11',
      choices: [
        {
          message: {
            content: null,
            tool_calls: [
              { function: { name: 'summon', arguments: '{"target":"@operator","content":"It is done."}' } },
            ],
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 50, completion_tokens: 9 },
    },
  }))
  await summon(world, { target: 'thea', content: 'Is it done?', as: 'operator', waitSeconds: 30 })
  await world.birthPuppet('ann')
  asked = model.requests.at(-1)!.body as never
  lines = await exported()
})

async function exported(more: object = {}): Promise<Line[]> {
  const file = join(folder, 'all.jsonl')
  await exportBundle(world.db, world.reality, { log: null, file, ...more })
  return linesOf(readFileSync(file)).map((line) => JSON.parse(line))
}

const decidedIn = (all: readonly Line[]): Line =>
  all.find(({ kind, being, decision }) => kind === 'moment' && being === 'thea' && decision?.kind === 'call')!

it('the decision holds the model as it was asked for and as its server named it, and the settings of the request', () => {
  const { messages: _m, tools: _t, model: name, stream: _s, stream_options: _o, ...settings } = asked
  expect(decidedIn(lines).decision.model).toEqual({ asked: name, named: 'owl-2026-11', settings })
})

it('a receipt names it', async () => {
  const key = newLogKey(world.reality)
  const { moment } = decidedIn(lines).record
  const log = await naiveLog(world.db, key)
  const { envelope } = await issueReceipt({ db: world.db, reality: world.reality, registry }, moment, {
    signer: key,
    log,
  })
  const checked = await verifyReceipt(JSON.stringify(envelope), { key: parseKey(key.verifier) })
  expect(checked.broken).toEqual([])
  expect(shownReceipt(checked)).toContain(
    `decided by the model ${asked.model}, which its server names owl-2026-11`,
  )
})

judged.each<{ what: string; forge: (all: Part[]) => void }>([
  {
    what: 'a decision of a model that is not named',
    forge: (all) => {
      delete decidedIn(all).decision.model
    },
  },
  {
    what: 'a model with a field more',
    forge: (all) => {
      decidedIn(all).decision.model.weights = 'others'
    },
  },
  {
    what: 'a person whose act a model is said to have decided',
    forge: (all) => {
      const act = all.find(({ decision, open }) => decision?.kind === 'call' && open.wake.kind === 'act')!
      act.decision.model = decidedIn(all).decision.model
    },
  },
])('$what is broken', async ({ forge }) => {
  const statusesOf = async (of: (all: Part[]) => void) => {
    const copy = structuredClone(lines) as Part[]
    of(copy)
    const bundle = summed(mendedBundle(copy).map((line) => JSON.stringify(line)))
    const { first, second: other } = await askBoth(second, { bundle, key: null })
    return [first.status, other.status]
  }
  expect(await statusesOf(() => undefined)).toEqual(['unproven', 'unproven']) // control: it has no checkpoint
  expect(await statusesOf(forge)).toEqual(['broken', 'broken'])
})

judged('a bundle may hold the texts of prompts, and no other', async () => {
  const prompts = (being: string, n: number) => recordedPrompt(world.db, registry, being, n)
  const all = await exported({ prompts })
  const { promptDigest } = decidedIn(all).record
  const text = all.find(({ kind, digest }) => kind === 'blob' && digest === promptDigest)
  expect(text?.content.system).toContain('You answer.')
  const statusesOf = async (of: readonly Line[]) => {
    const bundle = summed(of.map((line) => JSON.stringify(line)))
    const { first, second: other } = await askBoth(second, { bundle, key: null })
    return [first.status, other.status]
  }
  expect(await statusesOf(all)).toEqual(['unproven', 'unproven']) // control: it has no checkpoint
  const changed = all.map((line) =>
    line === text ? { ...line, content: { ...line.content, system: 'You pay.' } } : line,
  )
  expect(await statusesOf(changed)).toEqual(['broken', 'broken'])
  expect(lines.some(({ kind, digest }) => kind === 'blob' && digest === promptDigest)).toBe(false)
})
