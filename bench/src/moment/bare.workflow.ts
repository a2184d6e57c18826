/** Entity workflows without TreeOS: the signal holds the content of the wake, and a loop answers it. */
import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow'
import type { BareActivities, Turn } from './bare.ts'

const turnSignal = defineSignal<[Turn]>('turn')

export interface BareInput {
  readonly being: string
  /** turns that the last run had not answered when it continued as new */
  readonly waiting?: readonly Turn[]
}

/** The plain way: both effects are regular activities. */
export async function plainBeing(input: BareInput): Promise<void> {
  const { askForAnswer, keepAnswer } = proxyActivities<BareActivities>({ startToCloseTimeout: '1m' })
  const waiting = await answerTurns(input, async (turn) => {
    const answer = await askForAnswer(turn.content)
    await keepAnswer(input.being, turn.n, answer)
  })
  await continueAsNew<typeof plainBeing>({ being: input.being, waiting })
}

/**
 * The leanest way that still resumes after a crash: both effects are local activities, and the insert may run
 * twice.
 */
export async function leanBeing(input: BareInput): Promise<void> {
  const { askForAnswer, keepAnswer } = proxyLocalActivities<BareActivities>({ startToCloseTimeout: '1m' })
  const waiting = await answerTurns(input, async (turn) => {
    const answer = await askForAnswer(turn.content)
    await keepAnswer(input.being, turn.n, answer)
  })
  await continueAsNew<typeof leanBeing>({ being: input.being, waiting })
}

async function answerTurns(input: BareInput, answer: (turn: Turn) => Promise<void>): Promise<Turn[]> {
  const waiting: Turn[] = [...(input.waiting ?? [])]
  setHandler(turnSignal, (turn) => void waiting.push(turn))
  while (!workflowInfo().continueAsNewSuggested) {
    await condition(() => waiting.length > 0)
    const turn = waiting.shift()
    if (turn !== undefined) await answer(turn)
  }
  return waiting
}
