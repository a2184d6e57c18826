import { Annotation, END, START, StateGraph } from '@langchain/langgraph'
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres'
import pg from 'pg'
import { askModel } from '../src/moment/ask.ts'
import type { Contestant } from '../src/moment/contestant.ts'
import type { Setup } from '../src/moment/protocol.ts'

const State = Annotation.Root({ content: Annotation<string>, answer: Annotation<string> })

/**
 * A graph of one node that calls the model. Its checkpoint in Postgres is the durable record, and each being
 * is a thread. The state holds the last turn only: a state with all turns would cost more with every turn.
 */
export async function start(setup: Setup): Promise<Contestant> {
  const pool = new pg.Pool({ connectionString: setup.databaseUrl, max: setup.poolMax })
  const checkpointer = new PostgresSaver(pool)
  await checkpointer.setup()
  const graph = new StateGraph(State)
    .addNode('model', async ({ content }) => ({ answer: await askModel(setup.modelUrl, content) }))
    .addEdge(START, 'model')
    .addEdge('model', END)
    .compile({ checkpointer })
  return {
    taskQueue: null,
    async turn(being, _n, content) {
      await graph.invoke({ content }, { configurable: { thread_id: being } })
    },
    stop: () => pool.end(),
  }
}
