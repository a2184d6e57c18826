import { beings, explain, hasRole, moments } from '@treeos/client'
import type { JsonObject } from '@treeos/core'
import { defineLineage } from '@treeos/lineage'
import { describe, expect, it } from 'vitest'
import { doAs, expectRefused, play, until } from '../../support/life.ts'
import { childrenOf, HEARTBEAT_SECONDS, ROOMY } from '../../support/lineage.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [stage, defineLineage(ROOMY)] })
const { puppet, use, everySeconds, factsOnReel } = childrenOf(world)

describe('roles that a parent defines', () => {
  const define = (name: string, more: JsonObject = {}) =>
    play(world, 'mother', {
      verb: 'do',
      operation: 'lineage:define-role',
      target: '@mother',
      args: { name, description: 'Counts things.', tools: ['read_file', 'log_thought'], ...more },
    })
  const spawnAs = (parent: string, args: JsonObject) =>
    play(world, parent, { verb: 'do', operation: 'lineage:spawn-child', target: `@${parent}`, args })

  it('a parent defines a role within its own limits, and a child of it holds its tools and no other', async () => {
    await world.birth({
      name: 'mother',
      cognition: 'scripted',
      script: 'stage:puppet',
      role: 'lineage:parent',
      ceiling: {
        canSee: ['~'],
        canDo: [
          'lineage:define-role',
          'lineage:spawn-child',
          'lineage:grant-role',
          'lineage:read-file',
          'lineage:log-thought',
          'lineage:inbox-reply',
        ],
        canSummon: [{ pattern: '*' }],
      },
    })
    expect(await define('counter')).toMatchObject({ outcome: 'act' })
    const beyond = await define('breaker', { tools: ['exec_command'] })
    expect(beyond).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    expect(beyond.message).toContain('exec_command is above the ceiling of @mother')
    expect(await define('lavish', { model: 'gpt-99' })).toMatchObject({ reason: 'FORBIDDEN' })
    expect(await define('guardian')).toMatchObject({ reason: 'RESOURCE_CONFLICT' })
    const spawned = await spawnAs('mother', { name: 'abacus', role: 'counter', script: 'stage:puppet' })
    expect(spawned).toMatchObject({ outcome: 'act' })
    expect(await use('abacus', 'log-thought', { thought: 'one' })).toMatchObject({ outcome: 'act' })
    expect(await use('abacus', 'inbox-reply', { content: 'two' })).toMatchObject({ reason: 'FORBIDDEN' })
  })

  it('a child asks for another role, and only its parent grants it', async () => {
    await puppet('climber', { role: 'analyst' })
    const grant = (as: string, role: string) =>
      play(world, as, {
        verb: 'do',
        operation: 'lineage:grant-role',
        target: `@${as}`,
        args: { child: '@climber', role },
      })
    const operatorGrants = (role: string) =>
      doAs(world, 'lineage:grant-role', '@operator', { child: '@climber', role })
    await expectRefused(world, () => operatorGrants('writer'), 'RESOURCE_CONFLICT', 'did not ask')
    await use('climber', 'inbox-reply', { content: 'May I write?', role: 'writer' })
    expect(await grant('mother', 'writer')).toMatchObject({ reason: 'FORBIDDEN' })
    expect(await use('climber', 'list-files')).toMatchObject({ reason: 'FORBIDDEN' })
    await operatorGrants('writer')
    expect(await use('climber', 'list-files')).toMatchObject({ outcome: 'act' })
    expect(await factsOnReel('climber', 'lineage:role-requested')).toEqual([{ role: 'writer' }])
    expect(await factsOnReel('climber', 'lineage:role-granted')).toEqual([
      { from: 'analyst', to: 'writer', by: '@operator' },
    ])
    await until(async () => (await everySeconds('climber')) === 2 * HEARTBEAT_SECONDS)
    expect((await beings(world.db, hasRole(world.registry, 'writer'))).map(({ being }) => being)).toContain(
      'climber',
    )
    const { n } = (await moments(world.db, 'climber', 1))[0]!
    expect((await explain(world.db, 'climber', n)).surface?.canDo).toHaveLength(10)
  })
})

it('replays identically', async () => {
  expect(world.errors).toEqual([])
  await expectUnbroken(world)
  await expectReplays(world)
})
