/** The process of one contestant. Only its worker runs here. Its first message is its setup. */
import { once } from 'node:events'
import { loadContestants } from '../contestants.ts'
import { Profiling } from '../profile.ts'
import { countStatements } from '../statements.ts'
import type { Contestant } from './contestant.ts'
import type { FromContestant, Setup, ToContestant } from './protocol.ts'

process.env.TZ = 'UTC'
const [setup]: Setup[] = await once(process, 'message')
if (setup === undefined) throw new Error('the first message has no setup')
const tell = (message: FromContestant) => void process.send?.(message)
const fail = (error: unknown) => {
  console.error(error)
  tell({ type: 'failed', message: error instanceof Error ? error.message : String(error) })
}

const statements = countStatements()
const profiling = new Profiling()
const contestant = await start(setup, (being, n) => tell({ type: 'done', being, n }))

/** Runs the turns of one being one after another. */
const lines = new Map<string, Promise<void>>()
function call(being: string, n: number, content: string): void {
  const turn = (lines.get(being) ?? Promise.resolve())
    .then(() => contestant.turn?.(being, n, content))
    .then(() => tell({ type: 'done', being, n }), fail)
  lines.set(being, turn)
}

process.on('message', async (message: ToContestant) => {
  try {
    if (message.type === 'turn') call(message.being, message.n, message.content)
    else if (message.type === 'count') tell({ type: 'counted', statements: statements() })
    else if (message.type === 'profile') {
      await profiling.start()
      tell({ type: 'profiling' })
    } else if (message.type === 'profiled') tell({ type: 'profiled', functions: await profiling.stop() })
    else await stop()
  } catch (error) {
    fail(error)
  }
})
process.on('disconnect', () => process.exit())
tell({ type: 'ready', taskQueue: contestant.taskQueue })

async function stop(): Promise<void> {
  await contestant.stop()
  process.exit()
}

interface Starter {
  start(setup: Setup): Promise<Contestant>
}

/** Loads only the code of this contestant. */
async function start(setup: Setup, done: (being: string, n: number) => void): Promise<Contestant> {
  switch (setup.contestant) {
    case 'treeos':
      return (await import('./treeos.ts')).startTreeos(setup, done, fail)
    case 'plain':
    case 'lean':
      return (await import('./bare.ts')).startBare(setup, done)
    case 'langgraph':
    case 'dbos':
      return (await loadContestants<Starter>(`${setup.contestant}.ts`)).start(setup)
    default:
      throw new Error(`unknown contestant ${setup.contestant}`)
  }
}
