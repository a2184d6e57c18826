/** What the documents on beings and on child roles write of a model's calls and of lists, as it stands there. */
import { explain } from '@treeos/client'
import { defineLineage } from '@treeos/lineage'
import { beforeAll, expect, it } from 'vitest'
import { askedFor, beingOf, live, rowOf, setRole, until } from '../support/life.ts'
import { ROOMY } from '../support/lineage.ts'
import { type Reply, wordsIn } from '../support/model-server.ts'
import { stage } from '../support/puppet.ts'
import { expectReplays } from '../support/replays.ts'
import { useModelServer, useWorld } from '../support/use-world.ts'

const model = useModelServer()
const world = useWorld({ extensions: [stage, defineLineage(ROOMY)], modelServer: model })

/** The moment of a being whose model answers so. */
async function answered(being: string, reply: Reply) {
  model.script((request) => (beingOf(request) === being && wordsIn(request) === 'go on' ? reply : undefined))
  return live(world, being, 'go on')
}
const thinker = (name: string, role = 'stage:free') => world.birth({ name, cognition: 'llm', role })

beforeAll(() => thinker('ruler'))

it.each<[string, Reply, object]>([
  [
    'do(target, action, args)',
    {
      tool: {
        name: 'do',
        args: { target: '@ruler', action: 'set-being', args: { field: 'crown.on', value: true } },
      },
    },
    { verb: 'do', operation: 'set-being', target: '@ruler' },
  ],
  [
    'be(operation, payload)',
    {
      tool: {
        name: 'be',
        args: { operation: 'birth', payload: { name: 'heir', cognition: 'scripted', script: 'echo' } },
      },
    },
    { verb: 'be', operation: 'birth', target: '@heir' },
  ],
  [
    'summon(target, content)',
    { tool: { name: 'summon', args: { target: '@echo', content: 'Well?' } } },
    { verb: 'summon', target: '@echo' },
  ],
  [
    'summon({ content: "Here is what you asked for." })',
    { tool: { name: 'summon', args: { content: 'Here is what you asked for.' } } },
    { verb: 'summon', target: '@operator' },
  ],
])('%s is a call', async (_form, reply, did) => {
  expect(await answered('ruler', reply)).toMatchObject({ outcome: 'act', did })
})

it('silence and prose without a tool are a see, and prose beside a tool closes the act', async () => {
  expect(await answered('ruler', { content: 'I only look.' })).toMatchObject({ outcome: 'see', act: null })
  const tool = { name: 'do', args: { operation: 'set-being', args: { field: 'crown.on', value: false } } }
  expect(await answered('ruler', { tool, content: 'I lay it down.' })).toMatchObject({
    outcome: 'act',
    content: 'I lay it down.',
  })
})

it('two messages go to the model, and the tools are those of the lists that are not empty', async () => {
  await setRole(world, { name: 'mute', prompt: 'You only watch.' })
  await setRole(world, { name: 'watching', canSee: ['/library'], prompt: 'You watch.' })
  for (const [being, role, tools] of [
    ['blank', 'mute', undefined],
    ['watcher', 'watching', ['see']],
  ] as const) {
    await thinker(being, role)
    await live(world, being, 'What is new?')
    const [asked] = askedFor(model, being)
    expect(asked?.messages.map((message) => message.role)).toEqual(['system', 'user'])
    expect(asked?.tools?.map((tool) => tool.function.name)).toEqual(tools)
  }
})

it('the four tokens of canSummon expand to stances', async () => {
  await setRole(world, {
    name: 'ruling',
    canSummon: ['@operator', { rel: 'parent' }, { rel: 'any-child' }, { pattern: 'fitness/@coach' }],
    canBe: ['birth'],
    prompt: 'You rule.',
  })
  await thinker('queen', 'ruling')
  await answered('queen', {
    tool: {
      name: 'be',
      args: {
        operation: 'birth',
        payload: { name: 'prince', cognition: 'scripted', script: 'echo', role: 'mute' },
      },
    },
  })
  const { n } = await live(world, 'queen', 'Whom may you speak to?')
  expect((await explain(world.db, 'queen', n)).surface.canSummon).toEqual(['@operator', '@prince'])
})

it('spawn_child, as it is written, brings an analyst with its preamble, its model and no other tool', async () => {
  await thinker('parent', 'lineage:parent')
  await answered('parent', {
    tool: {
      name: 'spawn_child',
      args: {
        name: 'market-scout',
        specialization: 'Monitor Base ecosystem for undervalued tokens and emerging protocols',
        role: 'analyst',
      },
    },
  })
  await until(async () => (await rowOf(world, 'market-scout')) !== undefined)
  await live(world, 'market-scout', 'What is new?')
  const [asked] = askedFor(model, 'market-scout')
  expect(asked).toMatchObject({ model: 'gpt-4o', max_tokens: 8192 })
  expect(asked?.messages[0]?.content).toContain(`--- SPECIALIZATION ---
You are a specialized child agent. Your specific focus:
Monitor Base ecosystem for undervalued tokens and emerging protocols
--- END SPECIALIZATION ---

--- ROLE: ANALYST ---
Market intelligence specialist. Finds opportunities, evaluates signals, reports findings.
Your tool access is restricted to: read_file, write_file, exec_command, run_skill, inbox_read, inbox_reply, log_thought.
When your current task is complete, go to sleep to conserve compute.
--- END ROLE ---

--- LINEAGE ---
You were spawned by parent (@parent).
You inherit their mission but have your own identity and wallet.
--- END LINEAGE ---`)
})

it('all of it replays to the same stacks', () => expectReplays(world))
