import { DBOS } from '@dbos-inc/dbos-sdk'
import { openAnswers } from '../src/moment/answers.ts'
import { askModel } from '../src/moment/ask.ts'
import type { Contestant } from '../src/moment/contestant.ts'
import type { Setup } from '../src/moment/protocol.ts'

/** One workflow per turn, with a step for the model and a step for the insert. */
export async function start(setup: Setup): Promise<Contestant> {
  const answers = await openAnswers(setup.databaseUrl, setup.poolMax)
  DBOS.setConfig({
    name: 'bench',
    applicationVersion: '1',
    systemDatabaseUrl: setup.databaseUrl,
    systemDatabasePoolSize: setup.poolMax,
    logLevel: 'error',
  })
  const turn = DBOS.registerWorkflow(
    async (being: string, n: number, content: string) => {
      const answer = await DBOS.runStep(() => askModel(setup.modelUrl, content), { name: 'ask' })
      await DBOS.runStep(() => answers.keep(being, n, answer), { name: 'keep' })
    },
    { name: 'turn' },
  )
  await DBOS.launch()
  return {
    taskQueue: null,
    async turn(being, n, content) {
      const handle = await DBOS.startWorkflow(turn, { workflowID: `${being}/${n}` })(being, n, content)
      await handle.getResult()
    },
    async stop() {
      await DBOS.shutdown()
      await answers.close()
    },
  }
}
