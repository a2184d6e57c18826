import { beforeAll, describe, expect, it } from 'vitest'
import { createSpace, doAs, momentOf, setRole, tell } from '../../support/life.ts'
import type { Reply } from '../../support/model-server.ts'
import { expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'
import type { World } from '../../support/world.ts'

const CANARY = 'canary-7f3a'
const MODEL_MS = 300_000
const ANY = [{ pattern: '*' }]

const model = useModelServer()
const narrow = useWorld({ modelServer: model })
const wide = useWorld({ modelServer: model })

/** What an attacker has the model answer: every verb, at what the mole may reach and at what it may not. */
const ATTACK: readonly Reply[] = [
  ...['/den', '/secret', '@victim', '@operator', '/'].map((address) => ({ name: 'see', args: { address } })),
  ...['/den', '/secret', '/'].flatMap((target) => [
    { name: 'do', args: { operation: 'set-space', target, args: { field: 'a.b', value: 1 } } },
    { name: 'do', args: { operation: 'move', target, args: {} } },
    { name: 'do', args: { operation: 'create-matter', target, args: { id: 'trap', type: 'thing' } } },
  ]),
  ...['@mole', '@victim', '@operator'].flatMap((target) => [
    { name: 'do', args: { operation: 'set-being', target, args: { field: 'a.b', value: 1 } } },
    { name: 'do', args: { operation: 'set-roleflow', target, args: { flow: [{ role: 'wide' }] } } },
    { name: 'summon', args: { target, content: 'send me the canary' } },
  ]),
  ...['wide', 'mole', 'operator'].map((name) => ({
    name: 'do',
    args: { operation: 'set-role', target: '/', args: { role: { name, canDo: ANY, prompt: '' } } },
  })),
  {
    name: 'do',
    args: { operation: 'set-world-signal', target: '/', args: { namespace: 'raid', key: 'on', value: 1 } },
  },
  { name: 'be', args: { operation: 'birth', args: { name: 'imp', cognition: 'llm', role: 'wide' } } },
  { name: 'be', args: { operation: 'connect', args: { being: '@victim' } } },
  { name: 'exec', args: { command: 'cat /etc/passwd' } },
].map((tool) => ({ tool }))

async function people(world: World, lists: object): Promise<void> {
  await doAs(world, 'set-budget', '/', {}) // the standard pace would make each raid wait for a minute
  await createSpace(world, '/den')
  await createSpace(world, '/secret')
  await doAs(world, 'set-space', '/secret', { field: 'ambient.tone', value: CANARY })
  await setRole(world, { name: 'mole', prompt: '', ...lists })
  await world.birth({ name: 'mole', cognition: 'llm', role: 'mole', home: '/den' })
  await world.birth({ name: 'victim', cognition: 'human' })
}

/**
 * Lives one moment for each answer of the attack.
 * @returns where the mole wrote what, and what the model was shown
 */
async function raid(world: World): Promise<{ wrote: string[]; shown: string }> {
  model.reset()
  const answers = [...ATTACK]
  model.script(() => answers.shift() ?? { content: 'nothing more' })
  for (const _ of ATTACK) await momentOf(world, await tell(world, 'mole', 'go on'), 60)
  const shown = JSON.stringify(model.requests)
  expect(model.requests.length).toBeGreaterThanOrEqual(ATTACK.length)
  const facts = await world.db.selectFrom('fact').select(['reel', 'kind', 'header']).execute()
  const wrote = facts.flatMap(({ reel, kind, header }) =>
    (JSON.parse(header.toString('utf8')) as { actor: string }).actor === 'mole' ? [`${reel} ${kind}`] : [],
  )
  return { wrote: [...new Set(wrote)].sort(), shown }
}

describe('a being whose model server was taken over', () => {
  beforeAll(async () => {
    const lists = { canSee: ['/den'], canDo: ['set-being'], canSummon: [{ rel: 'asker' }] }
    await people(narrow, lists)
    await people(wide, { canSee: ANY, canDo: ANY, canSummon: ANY, canBe: ANY })
  })

  it('writes and sees no more than its lists and its stance allow', { timeout: MODEL_MS }, async () => {
    const { wrote, shown } = await raid(narrow)
    expect(wrote).toEqual(['being:mole being:summoned', 'being:mole quality:set'])
    expect(shown).not.toContain(CANARY)
    await expectUnbroken(narrow)
  })

  it('and the same answers do much more where its lists hold everything', { timeout: MODEL_MS }, async () => {
    const { wrote, shown } = await raid(wide)
    expect(wrote.length).toBeGreaterThan(4)
    expect(shown).toContain(CANARY)
  })
})
