import { BEING, REALITY } from '@treeos/protocol'
import { expect, it, vi } from 'vitest'
import { findStrays, judgeStrays, judgeTaken } from './strays.ts'

const reality = { id: 'an-id', name: 'home' }
const run = (of: string, being?: string) => ({
  typedSearchAttributes: {
    get: ({ name }: { name: string }) => ({ [REALITY.name]: of, [BEING.name]: being })[name],
  },
})
const temporalWith = (...runs: ReturnType<typeof run>[]) => {
  const list = vi.fn(async function* (_: { query: string }) {
    yield* runs
  })
  return { temporal: { workflow: { list } } as never, list }
}

it('beings and realities that the database does not know are found', async () => {
  const { temporal, list } = temporalWith(
    run('home', 'ann'),
    run('home', 'gone'),
    run('home'),
    run('old', 'ann'),
  )
  const known = new Set(['ann'])
  expect(await findStrays({ temporal, reality, isAlone: true }, known)).toEqual({
    beings: ['gone'],
    realities: ['old'],
  })
  await findStrays({ temporal, reality, isAlone: false }, known)
  expect(list.mock.calls.map(([{ query }]) => query)).toEqual([
    "TreeosReality IS NOT NULL AND ExecutionStatus = 'Running'",
    "TreeosReality = 'home' AND ExecutionStatus = 'Running'",
  ])
})

it('they are named with the command that ends them', () => {
  expect(judgeStrays({ beings: [], realities: [] }, reality, null)).toMatchObject({ ok: true })
  const { ok, optional, found, mend } = judgeStrays(
    { beings: ['a', 'b', 'c', 'd'], realities: ['old'] },
    reality,
    '/i/temporal.toml',
  )
  expect({ ok, optional }).toEqual({ ok: false, optional: true })
  expect(found).toBe(
    'stray workflows are open: of @a, @b, @c and 1 more, which do not live in this database; of reality "old"',
  )
  expect(mend).toBe(
    `TEMPORAL_CONFIG_FILE=/i/temporal.toml temporal workflow terminate --reason stray --query "TreeosReality = 'home' AND TreeosBeing = 'a' AND ExecutionStatus = 'Running'"`,
  )
})

it.each(['x" ; rm -rf ~ #', "x' OR TreeosReality = 'home", 'a b', '$(id)', ''])(
  'what somebody put into Temporal in place of a name, %j, never gets into the command',
  (name) => {
    const { mend } = judgeStrays({ beings: [name], realities: [] }, reality, null)
    expect(mend).toBe('terminate them in the UI of Temporal')
  },
)

it('nobody is told to end what another reality began', () => {
  for (const { mend } of [
    judgeStrays({ beings: [], realities: ['old', 'new'] }, reality, '/i/temporal.toml'),
    judgeTaken(reality, 'another-id'),
  ])
    expect(mend).not.toMatch(/terminate/)
  expect(judgeTaken(reality, 'another-id')).toMatchObject({
    ok: false,
    found: expect.stringMatching(
      /another reality "home" .* its id is another-id, that of this database an-id/,
    ),
  })
})
