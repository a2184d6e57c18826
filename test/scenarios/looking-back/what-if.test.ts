import { moments } from '@treeos/client'
import type { Json, JsonObject } from '@treeos/core'
import { compareFlow, whatIf } from '@treeos/replay'
import { beforeAll, describe, expect, it } from 'vitest'
import { createSpace, doAs, groundOf, live, play, publish, setFlow, setRole } from '../../support/life.ts'
import { noting, tellFromOutside } from '../../support/outside-words.ts'
import { stage } from '../../support/puppet.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const FLOW: Json = [
  { when: { 'me.quality.night.on': true }, role: 'sleeper' },
  { role: 'stage:free' },
  { stack: true, when: { 'space.name': 'library' }, role: 'quiet' },
]
const LISTENING: JsonObject = { role: 'quiet', stack: true, when: { 'world.other.loud': true } }

const model = useModelServer()
const world = useWorld({ extensions: [stage], modelServer: model })
beforeAll(async () => {
  await setRole(world, { name: 'sleeper', canSummon: [{ rel: 'asker' }], prompt: 'You sleep.' })
  await setRole(world, { name: 'quiet', prompt: 'Whisper.' })
  await createSpace(world, '/hall')
  await world.birthPuppet('mover', { roleFlow: FLOW })
  await play(world, 'mover', { verb: 'do', operation: 'move', target: '/library', args: {} }) // 1
  // 2, in the library
  await play(world, 'mover', { verb: 'do', operation: 'move', target: '/hall', args: {} })
  await publish(world, 'other.loud', true)
  await doAs(world, 'set-being', '@mover', { field: 'night.on', value: true })
  await play(world, 'mover', { verb: 'summon', content: 'good night' }) // 3
  await play(world, 'mover', { verb: 'do', operation: 'move', target: '/', args: {} }) // 4, refused
  await doAs(world, 'set-being', '@mover', { field: 'night', value: null })
  await live(world, 'mover', 'look') // 5
  await publish(world, 'other.loud', false)
  await live(world, 'mover', 'look') // 6
})

const ask = (flow: unknown, since?: number) => whatIf(world, { being: 'mover', flow, since })
const worn = (primary: string, ...stacked: string[]) => ({ primary, stacked })

describe('what if', () => {
  it('lived as the flow said', async () => {
    const lived = await moments(world.db, 'mover')
    expect(lived.map(({ outcome, primary, stacked }) => [outcome, primary, ...stacked])).toEqual([
      ['act', 'stage:free'],
      ['act', 'stage:free', 'quiet'],
      ['act', 'sleeper'],
      ['failure', 'sleeper'],
      ['see', 'stage:free'],
      ['see', 'stage:free'],
    ])
  })

  it('an identical flow lists nothing, and nothing is written or asked', async () => {
    const before = await groundOf(world)
    expect(await ask(FLOW)).toEqual([])
    await ask([])
    expect(await groundOf(world)).toEqual(before)
    expect(model.requests).toEqual([])
  })

  it('lists the moments that another flow makes others, and the acts that it would have refused', async () => {
    const edited = [{ when: { 'space.name': 'library' }, role: 'sleeper' }, ...(FLOW as JsonObject[])]
    expect(await ask(edited)).toEqual([
      {
        n: 2,
        openedAt: expect.stringMatching(/Z$/),
        differs: ['stack', 'surface', 'prompt'],
        was: worn('stage:free', 'quiet'),
        would: worn('sleeper', 'quiet'),
        refused: {
          code: 'FORBIDDEN',
          message: 'move is not in canDo (which is empty)',
        },
      },
    ])
  })

  it('names what differs: for a prompt-only modifier the stack and the prompt', async () => {
    const calm = (FLOW as JsonObject[]).slice(0, 2)
    expect(await ask(calm)).toMatchObject([
      { n: 2, differs: ['stack', 'prompt'], would: worn('stage:free'), refused: null },
    ])
    expect(await ask(calm, 3)).toEqual([])
  })

  it('says which clauses give each moment its roles', async () => {
    const edited = [...(FLOW as JsonObject[]), LISTENING]
    const { judged } = await compareFlow(world, { being: 'mover', flow: edited })
    expect(judged.map(({ n, source, clauses }) => [n, source, ...clauses])).toEqual([
      [1, 'clause', 1],
      [2, 'clause', 1, 2],
      [3, 'clause', 0, 3],
      [4, 'clause', 0, 3],
      [5, 'clause', 1, 3],
      [6, 'clause', 1],
    ])
  })

  it('reads what the old flow did not, as it stood at each moment', async () => {
    const differences = await ask([...(FLOW as JsonObject[]), LISTENING])
    expect(differences.map(({ n, would }) => [n, ...would.stacked])).toEqual([
      [3, 'quiet'],
      [4, 'quiet'],
      [5, 'quiet'],
    ])
  })

  it('a flow that leaves nothing to wear refuses the act, and a role of today counts where only the edit names it', async () => {
    await setRole(world, { name: 'newcomer', canSummon: [{ pattern: '*' }], prompt: 'New.' })
    const [first, second] = await ask([{ role: 'newcomer' }])
    expect(first).toMatchObject({ n: 1, would: worn('newcomer'), refused: { code: 'FORBIDDEN' } })
    expect(second).toMatchObject({ n: 2, was: worn('stage:free', 'quiet') })
    await world.birth({ name: 'bare', cognition: 'scripted', script: 'stage:puppet', role: 'quiet' })
    await play(world, 'bare', { verb: 'see', address: '/' })
    expect(await whatIf(world, { being: 'bare', flow: [{ role: 'unheard-of' }] })).toEqual([])
  })

  it('does not depend on the present world', async () => {
    const edited = [{ role: 'sleeper' }]
    const before = await ask(edited)
    expect(before.map(({ n, refused }) => [n, refused?.code ?? null])).toEqual([
      [1, 'FORBIDDEN'],
      [2, 'FORBIDDEN'],
      [5, null],
      [6, null],
    ])
    await setRole(world, { name: 'sleeper', canDo: ['move'], prompt: 'You walk in your sleep.' })
    await doAs(world, 'set-space', '/library', { field: 'ambient.tone', value: 'quiet' })
    await setFlow(world, 'mover', [])
    expect(await ask(edited)).toEqual(before)
    expect(await ask(FLOW)).toEqual([])
  })

  it('judges a call by the marks of what the moment would have read, as a rule about words from outside does', async () => {
    const role = { canSee: ['~'], canDo: ['set-space'], canSummon: [], canBe: [], prompt: '' }
    await createSpace(world, '/yard')
    await doAs(world, 'set-space', '/yard', {
      field: 'permissions.do',
      value: { 'set-space': { requires: ['anyone'], outside: 'forbid' } },
    })
    await setRole(world, { ...role, name: 'own' })
    await tellFromOutside(world, 'mover', {
      verb: 'do',
      operation: 'set-role',
      target: '/',
      args: { role: { ...role, name: 'told' } },
    })
    await world.birthPuppet('wary', { home: '/yard' })
    expect(await play(world, 'wary', noting('/yard', 'mine'))).toMatchObject({ outcome: 'act' })
    const refusedIn = async (name: string) =>
      (await whatIf(world, { being: 'wary', flow: [{ role: name }] })).map(({ refused }) => refused?.code)
    expect([await refusedIn('own'), await refusedIn('told')]).toEqual([[undefined], ['FORBIDDEN']])
  })

  it('a malformed flow is refused with the path of its fault', async () => {
    await expect(ask([{ role: 'sleeper', when: { wether: 1 } }])).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('[0].when'),
    })
  })
})
