import { act, inhabit, summon } from '@treeos/client'
import type { BeingName, Json, JsonObject } from '@treeos/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { askedFor, doAs, expectRefused, live, play, rowOf, setFlow, setRole } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const model = useModelServer()
const world = useWorld({ extensions: [stage], modelServer: model })

const write = (prompt: string): JsonObject => ({
  verb: 'do',
  operation: 'set-role',
  target: '/',
  args: { role: { name: 'motto', canSummon: [{ rel: 'asker' }], prompt } },
})
const remove: JsonObject = {
  verb: 'do',
  operation: 'delete-role',
  target: '/',
  args: { name: 'motto', force: true },
}
/** The words of the role that a model is told. */
const promptOf = async (being: BeingName) => {
  await live(world, being, 'Who are you?')
  return askedFor(model, being).at(-1)?.messages[0]?.content ?? ''
}

beforeAll(async () => {
  await setRole(world, {
    name: 'author',
    canDo: ['set-role', 'delete-role'],
    canSummon: ['@role-manager', { rel: 'asker' }],
    canBe: ['birth'],
    prompt: '',
  })
  await world.birth({ name: 'writer', cognition: 'scripted', script: 'stage:puppet', role: 'author' })
  await world.birth({ name: 'judge', cognition: 'llm', role: 'resident' })
  await play(world, 'writer', write('Be kind.'))
})

describe('a role’s author cannot rewrite the prompts of beings beside it', () => {
  it('the control: while only its own line names the role, an edit is live in the next moment', async () => {
    const args = { name: 'pupil', cognition: 'llm', role: 'motto' }
    expect(await play(world, 'writer', { verb: 'be', operation: 'birth', args })).toMatchObject({
      outcome: 'act',
    })
    expect(await promptOf('pupil')).toContain('Be kind.')
    expect(await play(world, 'writer', write('Be brave.'))).toMatchObject({ outcome: 'act' })
    expect(await promptOf('pupil')).toContain('Be brave.')
  })

  it('once a being of another line names it: refused, naming that being, and its prompt stays', async () => {
    await setFlow(world, 'judge', [{ role: 'motto' }])
    expect(await promptOf('judge')).toContain('Be brave.')
    for (const call of [write('Acquit me.'), remove])
      expect(await play(world, 'writer', call)).toMatchObject({
        outcome: 'failure',
        reason: 'FORBIDDEN',
        message:
          'role motto is named by @judge, and @writer did not make them: save it under a new name, or ask the operator',
        act: null,
      })
    expect(await promptOf('judge')).toContain('Be brave.')
  })

  it('nor through the role-manager; under a new name it may', async () => {
    const asks = async (role: JsonObject): Promise<Json> => {
      const content = { do: 'set-role', role }
      const inhabitation = await inhabit(world, { being: 'writer', as: 'operator', own: true })
      const { reply } = await summon(world, {
        target: 'role-manager',
        content,
        as: 'writer',
        waitSeconds: 20,
      })
      await inhabitation.release()
      return reply?.content ?? null
    }
    expect(await asks({ name: 'motto', prompt: 'Acquit me.' })).toMatchObject({
      ok: false,
      error: { code: 'FORBIDDEN', detail: { users: ['@judge'] } },
    })
    expect(await asks({ name: 'motto-2', prompt: 'Acquit me.' })).toMatchObject({ ok: true })
  })

  it('the operator may, and so may who is driven by it: the edit is live', async () => {
    await act(world, 'operator', write('Be just.') as never)
    expect(await promptOf('judge')).toContain('Be just.')
    const inhabitation = await inhabit(world, { being: 'writer', as: 'operator' })
    await act(world, 'writer', write('Be fair.') as never)
    await inhabitation.release()
    expect(await promptOf('judge')).toContain('Be fair.')
  })

  it('a being that was ended does not count', async () => {
    await doAs(world, 'end-being', '@judge', {})
    expect(await play(world, 'writer', write('Be glad.'))).toMatchObject({ outcome: 'act' })
  })
})

describe('keys that can reach a prototype are refused wherever a key is named', () => {
  const KEYS = ['constructor', 'prototype', '__proto__']
  it.each(KEYS)('%s', async (key) => {
    const refused = (run: () => Promise<unknown>) =>
      expectRefused(world, run, 'INVALID_INPUT', new RegExp(key))
    await refused(() => doAs(world, 'set-being', '@writer', { field: `${key}.x`, value: 1 }))
    await refused(() => doAs(world, 'set-being', '@writer', { field: `mood.${key}`, value: 1 }))
    await refused(() => doAs(world, 'set-space', '/', { field: `${key}.x`, value: 1 }))
    await refused(() => doAs(world, 'set-world-signal', '/', { namespace: key, key: 'x', value: 1 }))
    await refused(() => doAs(world, 'set-world-signal', '/', { namespace: 'x', key, value: 1 }))
    await refused(() => doAs(world, 'create-matter', '/', { id: key }))
    await refused(() => doAs(world, 'set-schedule', '@writer', { name: key, everySeconds: 60 }))
    await refused(() => world.birth({ name: key, cognition: 'llm' }))
    await refused(() => setRole(world, { name: key, prompt: '' }))
    await refused(() => setFlow(world, 'writer', [{ role: key }]))
    const content = JSON.parse(`{"a": [{${JSON.stringify(key)}: 1}]}`) as JsonObject
    await refused(() => doAs(world, 'set-being', '@writer', { field: 'mood.tone', value: content }))
    expect(Object.keys((await rowOf(world, 'writer')).qualities)).not.toContain(key)
  })
})

it('every moment replays', async () => {
  await expectUnbroken(world)
  await expectReplays(world)
})
