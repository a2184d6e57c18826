import { approvals, moments, plantScene, summon, withModel } from '@treeos/client'
import court from '@treeos/court'
import { expect, it } from 'vitest'
import { beingOf, doAs, until } from '../../support/life.ts'
import { type Reply, wordsIn } from '../../support/model-server.ts'
import { expectReplays } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const model = useModelServer()
const world = useWorld({ extensions: [court], modelServer: model })

const rules = (ruling: string): Reply => ({
  tool: { name: 'do', args: { operation: 'court:rule', target: '/court', args: { ruling } } },
})
const says = (content: string) =>
  summon(world, { target: 'solomon', content, as: 'operator', waitSeconds: 30, requireReply: true })
const last = async () => (await moments(world.db, 'solomon', 1))[0]

it('a model is the judge while the court sits, and its ruling answers whoever spoke and ends the sitting', async () => {
  await plantScene(world, withModel(court))
  await until(async () => (await last())?.primary === 'court:judge')
  model.script((request) =>
    beingOf(request) === 'solomon' && wordsIn(request) === 'The child is mine.'
      ? rules('Give her the living child.')
      : undefined,
  )
  expect((await says('The child is mine.')).reply).toEqual({
    from: '@solomon',
    content: 'Give her the living child.',
  })
  await until(async () => (await last())?.primary === 'court:watcher')
})

it('a model that insists on a ruling that was denied asks nobody again, and may still answer', async () => {
  const ask = { requires: ['anyone'], ask: { who: ['operator'] } }
  await doAs(world, 'set-space', '/court', { field: 'permissions.do', value: { 'court:rule': ask } })
  await doAs(world, 'court:convene', '/court', { case: 'the vineyard' })
  await until(async () => (await last())?.primary === 'court:judge')
  let tries = 0
  model.script((request) => {
    if (beingOf(request) !== 'solomon' || !wordsIn(request).includes('The vineyard is mine.'))
      return undefined
    tries += 1
    return tries < 3 ? rules('It is hers.') : { content: 'I may not rule yet.' }
  })
  const answer = says('The vineyard is mine.')
  const [waits] = await until(async () => {
    const all = await approvals(world, 'operator')
    return all.length > 0 && all
  })
  await doAs(world, 'deny', '@operator', { id: waits?.id ?? '', why: 'too soon' })
  expect((await answer).reply?.content).toBe('I may not rule yet.')
  const ends = (await moments(world.db, 'solomon', 3)).map(({ outcome, reason }) => [outcome, reason])
  expect(ends.slice(0, 2)).toEqual([
    ['waiting', undefined],
    ['failure', 'FORBIDDEN'],
  ])
  expect(await approvals(world, 'operator')).toEqual([])
})

it('all of it replays', () => expectReplays(world))
