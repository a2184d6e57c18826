/** A being whose workflow may give other roles than its worker. */
import { WorkflowFailedError } from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import { beingWorkflowId } from '@treeos/protocol'
import { replay } from '@treeos/replay'
import { setRole, until } from '../../support/life.ts'
import { openReplayer } from '../../support/replays.ts'
import type { World } from '../../support/world.ts'

/** A being that wears a stacked role in each moment. */
export async function bearMoody(world: World): Promise<void> {
  await setRole(world, { name: 'mood', prompt: 'You are in a mood.' })
  const roleFlow = [{ stack: true, when: { verb: 'summon' }, role: 'mood' }]
  await world.birth({ name: 'moody', cognition: 'scripted', script: 'echo', role: 'resident', roleFlow })
}

export const handleOf = (world: World) =>
  world.temporal.workflow.getHandle(beingWorkflowId(world.reality.name, 'moody'))
export const generationOf = async (world: World) =>
  (await world.db.selectFrom('life').select('generation').where('being', '=', 'moody').execute()).length

/** The failure of its last run, once that has ended. */
export async function failureOf(world: World, generation: number): Promise<ApplicationFailure> {
  const failed = async () =>
    (await generationOf(world)) >= generation && (await handleOf(world).describe()).status.name === 'FAILED'
  await until(failed, { seconds: 60, what: 'a run that fails' })
  const error: unknown = await handleOf(world)
    .result()
    .catch((thrown: unknown) => thrown)
  if (!(error instanceof WorkflowFailedError) || !(error.cause instanceof ApplicationFailure)) throw error
  return error.cause
}

export const replayOf = async (world: World, from: 'chain' | 'temporal') =>
  (
    await replay(world, {
      beings: ['moody'],
      from,
      ...(from === 'chain' ? {} : { replayer: await openReplayer() }),
    })
  ).mismatches
