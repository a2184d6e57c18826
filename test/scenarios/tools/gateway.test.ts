/** Outside agents reach tools through a being: with its rights, and with a record of each call. */
import { issueToken } from '@treeos/client'
import { listFactsAfter } from '@treeos/store'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { play, setRole, until } from '../../support/life.ts'
import { connectTo, type Outside, openEdge } from '../../support/mcp.ts'
import { stage } from '../../support/puppet.ts'
import { acceptAll, programOf, serving, withTools } from '../../support/tools.ts'
import { useWorld } from '../../support/use-world.ts'

const entries = await withTools({
  everything: { command: [process.execPath, programOf('server-everything')] },
})
const { servers, extensions } = serving(entries)
afterAll(() => servers.close())
const world = useWorld({ extensions: [stage, ...extensions] })
const nothing = { canSee: [], canDo: [], canSummon: [], canBe: [], prompt: '' }
beforeAll(async () => {
  await acceptAll(world, entries)
  await setRole(world, {
    ...nothing,
    name: 'adder',
    canDo: ['everything:get-sum'],
    canSummon: [{ rel: 'asker' }],
  })
  await setRole(world, { ...nothing, name: 'coordinator', canSummon: ['@operator', '@hands'] })
  await world.birth({ name: 'agent', cognition: 'llm', role: 'adder' })
  await world.birthPuppet('hands', { role: 'adder' })
  await world.birthPuppet('coordinator', { role: 'coordinator' })
})
const calledBy = async (being: string) =>
  (await listFactsAfter(world.db, `being:${being}`, 0, 500)).filter(
    ({ header }) => header.kind === 'everything:called',
  )

describe('TreeOS as the gateway of an outside agent to tools', () => {
  let agent: Outside
  let edge: Awaited<ReturnType<typeof openEdge>>
  beforeAll(async () => {
    edge = await openEdge(world)
    const { secret } = await issueToken(world, { being: 'agent', as: 'operator' })
    agent = await connectTo(edge.url, secret)
  })
  afterAll(async () => {
    await agent?.leave()
    await edge?.close()
  })

  it('calls what its being may call, and the record names it and the declaration', async () => {
    const { isError, value } = await agent.call('do', {
      operation: 'everything:get-sum',
      args: { a: 2, b: 3 },
    })
    expect(isError).toBe(false)
    expect(value).toMatchObject({ result: { text: expect.stringContaining('5') } })
    expect(await calledBy('agent')).toMatchObject([
      { payload: { tool: 'get-sum', declared: expect.stringMatching(/^[0-9a-f]{64}$/) } },
    ])
  })

  it('and nothing else: the refusal says why, and nothing is called', async () => {
    const { isError, value } = await agent.call('do', { operation: 'everything:get-env' })
    expect(isError).toBe(true)
    expect(value).toMatchObject({ code: 'FORBIDDEN' })
    expect(await calledBy('agent')).toHaveLength(1)
  })
})

describe('a narrow coordinator and wider hands that it did not make', () => {
  const sum = { verb: 'do', operation: 'everything:get-sum', target: '@hands', args: { a: 20, b: 22 } }

  it('the coordinator itself may not call', async () => {
    const own = { ...sum, target: '@coordinator' }
    expect(await play(world, 'coordinator', own)).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
  })

  it('it asks, and the hands call by their own rights and in their own name', async () => {
    const asking = { verb: 'summon', target: '@hands', content: { call: sum } }
    expect(await play(world, 'coordinator', asking)).toMatchObject({ outcome: 'act' })
    const [called] = await until(async () => {
      const facts = await calledBy('hands')
      return facts.length > 0 && facts
    })
    expect(called).toMatchObject({ payload: { tool: 'get-sum' } })
    expect(await calledBy('coordinator')).toEqual([])
  })

  it('what the hands may not do they refuse, whoever asks', async () => {
    const env = { ...sum, operation: 'everything:get-env', args: {} }
    const asking = { verb: 'summon', target: '@hands', content: { call: env } }
    expect(await play(world, 'coordinator', asking)).toMatchObject({ outcome: 'act' })
    await until(async () => {
      const { reason } = (await world.db
        .selectFrom('moment_outcome')
        .select(['reason'])
        .where('being', '=', 'hands')
        .orderBy('n', 'desc')
        .executeTakeFirst()) ?? { reason: null }
      return reason === 'FORBIDDEN'
    })
    expect(await calledBy('hands')).toHaveLength(1)
  })
})
