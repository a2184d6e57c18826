/** Beings that play on a board, whose prompts name the version of the board that they were lived with. */
import { readVersions } from '@treeos/reality'
import { listOutcomes } from '@treeos/store'
import { beforeAll, expect } from 'vitest'
import { boardIn, firstBoard } from '../../support/board.ts'
import { momentOf, tell } from '../../support/life.ts'
import { IS_NIGHT } from '../../support/night.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

export const BEINGS = Array.from({ length: IS_NIGHT ? 6 : 3 }, (_, i) => `keeper-${i}`)

/** Makes the world of a file, whose first worker has the first board. */
export function useBoards() {
  const model = useModelServer()
  const world = useWorld({ extensions: [firstBoard], modelServer: model })
  beforeAll(async () => {
    for (const name of BEINGS) await world.birth({ name, cognition: 'llm', role: 'board:keeper' })
  })

  const current = async () => (await readVersions(world)).current.get('board')?.version

  /** Summons every being, and returns the boards that the prompts of their moments named. */
  async function summonAll(text: string): Promise<string[]> {
    const asked = await Promise.all(BEINGS.map((being) => tell(world, being, text)))
    const ended = await Promise.all(asked.map((wake) => momentOf(world, wake, 60)))
    expect(ended.map(({ outcome, reason = null }) => [outcome, reason])).toEqual(
      BEINGS.map(() => ['act', null]),
    )
    const boards = model.requests.slice(-BEINGS.length).map(({ body }) => {
      const [system] = body?.messages ?? []
      return boardIn(system?.content)
    })
    return [...new Set(boards)]
  }

  const expectSound = async () => {
    await expectUnbroken(world)
    const replayed = await expectReplays(world)
    expect(replayed.identical).toBe(true)
    for (const being of BEINGS)
      expect((await listOutcomes(world.db, being, 100)).map(({ record }) => record.outcome)).not.toContain(
        'failure',
      )
  }

  return { model, world, current, summonAll, expectSound }
}
