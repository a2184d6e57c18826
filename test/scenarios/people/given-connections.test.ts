/** Which model connections minds and persons give to others. */
import { afterAll, describe, expect, it } from 'vitest'
import { doAs, expectRefused, play, rowOf } from '../../support/life.ts'
import { startModelServer } from '../../support/model-server.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const model = await startModelServer()
afterAll(() => model.close())
const world = useWorld({
  extensions: [stage],
  modelUrl: model.url,
  connections: { own: model.url, dear: model.url },
})
const setConnection = (parent: string, child: string, value: string | null) =>
  play(world, parent, {
    verb: 'do',
    operation: 'set-being',
    target: `@${child}`,
    args: { field: 'llm.connection', value },
  })

describe('a mind that gives birth', () => {
  const bear = (parent: string, name: string, connection: string | null) =>
    play(world, parent, {
      verb: 'be',
      operation: 'birth',
      args: { name, cognition: 'llm', role: 'resident', ...(connection === null ? {} : { connection }) },
    })

  it('gives its children no model connection but its own, at birth or later', async () => {
    await world.birthPuppet('dam')
    const refused = { outcome: 'failure', reason: 'FORBIDDEN' }
    expect(await bear('dam', 'kid', 'dear')).toMatchObject(refused)
    expect(await rowOf(world, 'kid')).toBeNull()
    expect(await bear('dam', 'kid', null)).toMatchObject({ outcome: 'act' })
    const tried = await setConnection('dam', 'kid', 'dear')
    expect(tried).toMatchObject(refused)
    expect(tried.message).toContain('no model connection but its own; it has none of its own, and not "dear"')
    await doAs(world, 'set-being', '@dam', { field: 'llm.connection', value: 'own' })
    expect(await bear('dam', 'foal', 'dear')).toMatchObject(refused)
    expect(await bear('dam', 'foal', 'own')).toMatchObject({ outcome: 'act' })
    expect(await setConnection('dam', 'kid', 'own')).toMatchObject({ outcome: 'act' })
    expect(await setConnection('dam', 'kid', null)).toMatchObject({ outcome: 'act' })
    expect((await rowOf(world, 'foal')).qualities.llm).toEqual({ connection: 'own' })
  })

  it('a control: a person gives any that the operator has', async () => {
    await doAs(world, 'set-being', '@kid', { field: 'llm.connection', value: 'dear' })
    expect((await rowOf(world, 'kid')).qualities.llm).toEqual({ connection: 'dear' })
    await expectRefused(
      world,
      () => doAs(world, 'set-being', '@kid', { field: 'llm.connection', value: 'https://x/v1' }),
      'INVALID_INPUT',
      'kebab-case name',
    )
  })
})

it('replays identically', async () => {
  expect(world.errors).toEqual([])
  await expectUnbroken(world)
  await expectReplays(world)
})
