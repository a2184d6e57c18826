import { moments } from '@treeos/client'
import { ACT_SIGNAL, beingWorkflowId } from '@treeos/protocol'
import { describe, expect, it } from 'vitest'
import { exportHistories } from '../../support/histories.ts'
import {
  beingOf,
  live,
  play,
  publish,
  rowOf,
  setRole,
  until,
  untilAtRest,
  wakesOf,
} from '../../support/life.ts'
import type { Reply } from '../../support/model-server.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const model = useModelServer()
const world = useWorld({ extensions: [stage], modelServer: model, modelTimeoutSeconds: 2 })

/** Sends an act straight to the workflow, as a person does from Temporal's UI. */
const signal = (being: string, ...args: unknown[]) =>
  world.temporal.workflow.getHandle(beingWorkflowId(world.reality.name, being)).signal(ACT_SIGNAL, ...args)

describe('history', () => {
  it('holds no prompt, no wake, no answer and no message of an error, however a moment ends', async () => {
    const word = (what: string) => `sentinel${what}7f3a`
    await setRole(world, {
      name: 'secretive',
      canDo: ['set-being', 'move'],
      canSummon: [{ rel: 'asker' }],
      prompt: word('prompt'),
    })
    await world.birth({ name: 'thinker', cognition: 'llm', role: 'secretive' })
    await world.birth({ name: 'puppet', cognition: 'scripted', script: 'stage:puppet', role: 'secretive' })
    const replies: Reply[] = [
      { tool: { name: 'summon', args: { content: word('reply') } }, content: word('prose') },
      { content: word('thought') },
      { status: 422, body: { error: { message: word('refusal') } } },
      { status: 500, body: { error: { message: word('fault') } } }, // and then the default answer
      { raw: word('garbage') },
      { tool: { name: 'do', args: { operation: word('action') } } },
      { tool: { name: 'do', args: { operation: 'move', target: `/${word('target')}` } } },
      {
        tool: { name: 'do', args: { operation: 'set-being', args: { field: 'a.b', value: word('value') } } },
      },
    ]
    for (const reply of replies) {
      const queue = [reply]
      model.script((request) => (beingOf(request) === 'thinker' ? queue.shift() : undefined))
      await live(world, 'thinker', word('wake'))
      await untilAtRest(world, 'thinker')
    }
    model.reset()
    await live(world, 'puppet', { throw: word('thrown') })
    await live(world, 'puppet', { return: word('returned') })
    await play(world, 'puppet', { verb: 'summon', content: word('speech') }, word('aside'))
    await play(world, 'puppet', { verb: 'see', address: word('address') })
    await publish(world, 'secret.word', word('published')) // no flow reads it

    const outcomes = await moments(world.db, 'thinker')
    expect(outcomes.map(({ outcome, reason }) => reason ?? outcome)).toEqual([
      'act',
      'see',
      'LLM_FAILED',
      'act',
      'LLM_FAILED',
      'FORBIDDEN',
      'act', // it decided again
      'SPACE_NOT_FOUND',
      'act',
      'act',
    ])
    const exported = await exportHistories(world)
    const lived = new Set(exported.map(({ workflowId }) => workflowId.split('/').at(-1)))
    expect([...lived].sort()).toEqual(['operator', 'puppet', 'thinker'])
    // The search sees what is there. A run that begins at rest may hold no moment yet.
    for (const being of lived)
      expect(
        exported.some(
          ({ text, workflowId }) => workflowId.endsWith(`/${being}`) && text.includes('liveMoments'),
        ),
      ).toBe(true)
    // People who read the results of the timeline are told the roles of fast minds, too.
    const ofThinker = exported.filter(({ workflowId }) => workflowId.endsWith('/thinker'))
    expect(ofThinker.some(({ text }) => /"stack":\{"primary":\{[^}]*"name":"secretive"/.test(text))).toBe(
      true,
    )
    for (const { text, workflowId } of exported) {
      expect(text.match(/sentinel[a-z]*/g) ?? [], workflowId).toEqual([])
    }
    // All of it was lived: it is in Postgres.
    expect((await rowOf(world, 'thinker')).qualities).toEqual({ a: { b: word('value') } })
  })

  it('holds what a person sends by the signal `act`, which is the one way in, and the act is done', async () => {
    await world.birth({ name: 'hearer', cognition: 'scripted', script: 'echo' })
    await signal('operator', { verb: 'summon', target: '@hearer', content: 'sentinelsignal' })
    const [wake] = await until(async () => {
      const found = await wakesOf(world, 'hearer')
      return found[0]?.closedBy != null && found
    })
    expect(wake).toMatchObject({
      content: 'sentinelsignal',
      caller: { name: 'operator', cognition: 'human' },
    })
    const found = (await exportHistories(world)).filter(({ text }) => text.includes('sentinelsignal'))
    expect(found.map(({ workflowId }) => workflowId)).toEqual([
      beingWorkflowId(world.reality.name, 'operator'),
    ])
  })

  it('an act sent by the signal may answer a summon', async () => {
    await world.birthPuppet('prompter')
    await play(world, 'prompter', { verb: 'summon', target: '@operator', content: 'well?' })
    const [entry] = (await wakesOf(world, 'operator')).filter(({ caller }) => caller?.name === 'prompter')
    await signal('operator', { call: { verb: 'summon', content: 'well.' }, answers: entry!.id })
    const answer = await until(async () =>
      (await wakesOf(world, 'prompter')).find(({ inReplyTo }) => inReplyTo === entry!.id),
    )
    expect(answer.content).toBe('well.')
  })

  it.each([
    ['nothing', []],
    ['null', [null]],
    ['a text', ['jump']],
    ['an unknown verb', [{ verb: 'jump' }]],
    ['half a character', [{ verb: 'summon', target: '@echo', content: '\ud83d' }]],
    ['a NUL', [{ verb: 'summon', target: '@echo', content: 'a\0b' }]],
    ['__proto__', [JSON.parse('{"verb": "do", "operation": "x", "args": {"__proto__": {"y": 1}}}')]],
    [
      '200 levels',
      [{ verb: 'do', operation: 'x', args: { deep: JSON.parse('['.repeat(200) + ']'.repeat(200)) } }],
    ],
    ['20 kB', [{ verb: 'summon', target: '@echo', content: 'x'.repeat(20_000) }]],
    ['100 kB', [{ verb: 'summon', target: '@echo', content: 'x'.repeat(100_000) }]],
    ['1 MB', [{ verb: 'summon', target: '@echo', content: 'x'.repeat(1_000_000) }]],
    [
      'answers without text',
      [{ call: { verb: 'summon', target: '@hearer', content: 'x' }, answers: { a: 1 } }],
    ],
  ])('a signal `act` of %s does not keep the being from its next moment', async (_, args) => {
    await signal('operator', ...args)
    expect(await live(world, 'echo', 'still there?', { seconds: 10 })).toMatchObject({ outcome: 'act' })
  })

  it('every moment replays from both records', async () => {
    await expectUnbroken(world)
    await expectReplays(world)
  })
})
