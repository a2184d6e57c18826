/** A person takes neither the time nor the places of others, by however many tokens. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectTo, EdgeWorld, INITIALIZE, openEdge, refusalIn } from '../../support/mcp.ts'

const ACTS = 20
let at: EdgeWorld
beforeAll(async () => {
  at = await EdgeWorld.start({ actsPerMinute: ACTS })
})
afterAll(() => at?.close())

it('summons of one person have a bound in a minute over all its tokens, which names its setting', async () => {
  const [one, other] = [await at.asBeing('operator'), await at.asBeing('oracle')]
  const said = (outside: typeof one) => outside.call('summon', { target: '@operator', content: 'again' })
  // One token has at most 16 calls under way.
  const sayFifteen = (outside: typeof one) => Promise.all(Array.from({ length: 15 }, () => said(outside)))
  const sayTwice = async (outside: typeof one) => [
    ...(await sayFifteen(outside)),
    ...(await sayFifteen(outside)),
  ]
  const answers = [...(await sayTwice(one)), await said(other)]
  expect(answers.filter(({ isError }) => !isError)).toHaveLength(ACTS)
  expect(answers.at(-1)).toMatchObject({
    isError: true,
    value: { code: 'RATE_LIMITED', message: expect.stringContaining(`${ACTS} times within a minute`) },
  })
  expect(answers.at(-1)?.value.message).toContain('TREEOS_ACTS_PER_MINUTE')
  // A birth is an act too. Looks are none, and another person has a count of its own.
  const args = { name: 'swarm', cognition: 'llm' }
  expect(await one.call('be', { operation: 'birth', args })).toMatchObject({ isError: true })
  expect(await one.call('see', { address: '@operator' })).toMatchObject({ isError: false })
  expect(await said(await at.asBeing('bob', 'bob'))).toMatchObject({ isError: false })
  await at.dismiss()
  // Control: a server without such a bound takes them all.
  const open = await openEdge(at.world, { actsPerMinute: 1_000_000 })
  const free = await connectTo(open.url, (await at.tokenFor('operator')).secret)
  const all = await sayTwice(free)
  expect(all.filter(({ isError }) => !isError)).toHaveLength(30)
  await free.leave()
  await open.close()
})

it('sessions of one person leave room for others, by however many tokens', async () => {
  const secrets = await Promise.all(Array.from({ length: 4 }, () => at.tokenFor('operator')))
  const statuses: number[] = []
  const sessions: string[] = []
  for (const { secret } of secrets)
    for (let i = 0; i < 8; i++) {
      const answer = await at.raw({ authorization: `Bearer ${secret}` })
      statuses.push(answer.status)
      sessions.push(answer.headers.get('mcp-session-id') ?? '')
    }
  expect(statuses.every((status) => status === 200)).toBe(true)
  // The oldest ones were closed for the last ones.
  const use = (i: number) =>
    at.raw(
      { authorization: `Bearer ${secrets[i >> 3]?.secret}`, 'mcp-session-id': sessions[i] ?? '' },
      {
        jsonrpc: '2.0',
        id: 9,
        method: 'ping',
      },
    )
  const open = await Promise.all(sessions.map(async (_, i) => (await use(i)).status === 200))
  expect(open.filter(Boolean)).toHaveLength(24)
  expect(open.slice(0, 8)).toEqual(Array.from({ length: 8 }, () => false))
})

it('requests without end of one person are refused before their body is read', async () => {
  const { secret } = await at.tokenFor('operator')
  const { secret: others } = await at.tokenFor('bob', 'bob')
  const refused: Response[] = []
  for (let round = 0; round < 10 && refused.length < 20; round++) {
    const asked = Array.from({ length: 200 }, () => at.raw({ authorization: `Bearer ${secret}` }, 'x'))
    refused.push(...(await Promise.all(asked)).filter(({ status }) => status === 429))
  }
  expect(refused.length).toBeGreaterThanOrEqual(20)
  expect(await refusalIn(refused[0] as Response)).toMatchObject({ code: 'RATE_LIMITED' })
  expect((await at.raw({ authorization: `Bearer ${others}` }, INITIALIZE)).status).toBe(200)
})

it('what the token of another person asks for counts for that person, and not for the operator that made it', async () => {
  const edge = await openEdge(at.world, { actsPerMinute: 5 })
  const clientOf = async (being: string) => connectTo(edge.url, (await at.tokenFor(being, 'operator')).secret)
  const bob = await clientOf('bob')
  const ending = { operation: 'end-being', target: '@operator', args: {} }
  const codes: unknown[] = []
  for (let n = 0; n < 8; n++) codes.push((await bob.call('do', ending)).value.code)
  expect(codes).toEqual([...Array(5).fill('FORBIDDEN'), ...Array(3).fill('RATE_LIMITED')])
  const operator = await clientOf('operator')
  const said = { target: '@operator', content: 'still here' }
  for (let n = 0; n < 5; n++) expect(await operator.call('summon', said)).toMatchObject({ isError: false })
  // Control: the token for a being that is no person counts for who issued it.
  const oracle = await clientOf('oracle')
  expect((await oracle.call('summon', said)).value).toMatchObject({ code: 'RATE_LIMITED' })
  for (const client of [bob, operator, oracle]) await client.leave()
  await edge.close()
})
