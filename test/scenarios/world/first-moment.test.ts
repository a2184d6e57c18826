import { beings, moments, summon } from '@treeos/client'
import { replay } from '@treeos/replay'
import { describe, expect, it } from 'vitest'
import { replayBundle } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

describe('a first reality', () => {
  const model = useModelServer()
  const world = useWorld({ modelServer: model })

  it('is inhabited by the operator, two delegates, a librarian and an echo', async () => {
    expect((await beings(world.db)).map((being) => being.stance)).toEqual([
      '@birther',
      '@echo',
      '@librarian',
      '@operator',
      '@role-manager',
    ])
  })

  it('answers a person by a script', async () => {
    const answer = await summon(world, { target: 'echo', content: 'hello', as: 'operator', waitSeconds: 20 })
    expect(answer.reply).toEqual({ from: '@echo', content: 'hello' })
    expect(answer.moment).toMatchObject({ n: 1, outcome: 'act', primary: 'resident', stacked: [] })
  })

  it('answers a person by a model, called once over HTTP', async () => {
    const answer = await summon(world, {
      target: 'librarian',
      content: 'What is a reel?',
      as: 'operator',
      waitSeconds: 20,
    })
    expect(answer.reply).toEqual({ from: '@librarian', content: 'ok: What is a reel?' })
    expect(model.requests.length).toBe(1)
    expect(await moments(world.db, 'librarian')).toMatchObject([{ n: 1, outcome: 'act', verb: 'summon' }])
    expect(world.errors).toEqual([])
  })

  it('replays identically from the chain and from Temporal', async () => {
    const replayed = await replay(world, { beings: null, from: 'both', bundle: replayBundle() })
    expect(replayed.mismatches).toEqual([])
    expect(replayed).toMatchObject({ beings: 5, moments: 4, identical: true })
  })
})
