/**
 * Ids of workflows hold the name of their reality, so two realities of one name in one namespace of Temporal
 * would ring each other's beings. The first that starts there marks its name: by a Schedule that is paused, has
 * no times and starts nothing, whose note holds the reality's id.
 */

import { type Client, isGrpcServiceError, ScheduleAlreadyRunning } from '@temporalio/client'
import { quote, TreeosError } from '@treeos/core'
import { SCHEDULE_WORKFLOW } from '@treeos/protocol'
import type { Reality } from '@treeos/store'

type NamedReality = Pick<Reality, 'id' | 'name' | 'taskQueue'>

const GRPC_NOT_FOUND = 5

const nameMarkId = (reality: string): string => `reality/${reality}`

/** Id of the reality that marked a name in this namespace; null while none did. */
export async function findNameHolder(client: Client, reality: string): Promise<string | null> {
  const { namespace } = client.options
  try {
    const found = await client.workflowService.describeSchedule({
      namespace,
      scheduleId: nameMarkId(reality),
    })
    return /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/.exec(found.schedule?.state?.notes ?? '')?.[0] ?? null
  } catch (error) {
    if (isGrpcServiceError(error) && error.code === GRPC_NOT_FOUND) return null
    throw error
  }
}

/**
 * Marks the name of a reality, unless it is marked. Several workers may do so at once.
 * @throws {TreeosError} RESOURCE_CONFLICT where another reality has marked it
 */
export async function markName(client: Client, reality: NamedReality): Promise<void> {
  const holder = (await findNameHolder(client, reality.name)) ?? (await putMark(client, reality))
  if (holder !== null && holder !== reality.id) throw nameTaken(reality, holder, client.options.namespace)
}

/** @returns the holder of the mark that another process put meanwhile; null where this one put it */
async function putMark(client: Client, { id, name, taskQueue }: NamedReality): Promise<string | null> {
  try {
    await client.schedule.create({
      scheduleId: nameMarkId(name),
      spec: {},
      state: { paused: true, note: `the name of the reality ${id}; deleting this frees it` },
      action: { type: 'startWorkflow', workflowType: SCHEDULE_WORKFLOW, taskQueue, args: [] },
    })
    return null
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return findNameHolder(client, name)
    throw error
  }
}

/** Its worker would ring the beings of the other. A name, a namespace or the other reality has to go. */
const nameTaken = ({ name, id }: NamedReality, holder: string, namespace: string): TreeosError =>
  new TreeosError(
    'RESOURCE_CONFLICT',
    `the namespace ${namespace} of Temporal has another reality ${quote(name)}: its id is ${holder}, and that of this database ${id}. ` +
      'Use another namespace, or make this reality anew under another name. If the other one is gone for good, delete the ' +
      `Schedule ${nameMarkId(name)} in Temporal`,
  )
