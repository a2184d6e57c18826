import type { StoreDb } from '@treeos/store'
import {
  type CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import { expect, it } from 'vitest'
import { OpenQuestions, StalledError } from './open-questions.ts'

const STALL_MS = 200

it('a question that waits while others are answered is lost', async () => {
  const error = await stallOf({ isAnswering: true })
  expect(error).toMatchObject({
    isLost: true,
    message: expect.stringContaining('nothing came of q-1, though others were answered, for 0.6 s'),
  })
})

it('a world that answers nobody stands still, and no question is lost', async () => {
  const error = await stallOf({ isAnswering: false })
  expect(error).toMatchObject({
    isLost: false,
    message: expect.stringContaining('nothing came of 1 questions for 0.2 s'),
  })
})

it('neither is said while answers come in time', async () => {
  const questions = ask(worldOf({ isAnswering: true }))
  await new Promise((resolve) => setTimeout(resolve, 2 * STALL_MS))
  questions.check()
  await questions.close()
})

/** Asks one question, to which no answer comes. */
function ask(db: Kysely<StoreDb>): OpenQuestions {
  const questions = new OpenQuestions(db, {
    stallMs: STALL_MS,
    describe: async () => 'as the test says',
    onDone: () => undefined,
  })
  questions.add({ id: 'q-1', person: 'operator', target: 'ann', answer: null })
  return questions
}

async function stallOf(world: { isAnswering: boolean }): Promise<unknown> {
  const questions = ask(worldOf(world))
  try {
    await questions.answered()
    throw new Error('the question was answered')
  } catch (error) {
    expect(error).toBeInstanceOf(StalledError)
    return error
  } finally {
    await questions.close()
  }
}

/** A database whose moments become more with each look while others are answered. */
function worldOf({ isAnswering }: { isAnswering: boolean }): Kysely<StoreDb> {
  let moments = 0
  const connection: DatabaseConnection = {
    executeQuery: async <R>({ sql }: CompiledQuery) => {
      if (isAnswering) moments += 1
      return { rows: (sql.includes('count(*)') ? [{ moments }] : []) as R[] }
    },
    // biome-ignore lint/correctness/useYield: nothing here is streamed
    streamQuery: async function* () {
      throw new Error('nothing is streamed')
    },
  }
  const nothing = async () => undefined
  return new Kysely<StoreDb>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createDriver: () => ({
        acquireConnection: async () => connection,
        init: nothing,
        beginTransaction: nothing,
        commitTransaction: nothing,
        rollbackTransaction: nothing,
        releaseConnection: nothing,
        destroy: nothing,
      }),
    },
  })
}
