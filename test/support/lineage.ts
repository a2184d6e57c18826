import type { JsonObject } from '@treeos/core'
import { scheduleId } from '@treeos/protocol'
import type { NotNull } from 'kysely'
import { doAs, play, rowOf } from './life.ts'
import type { ModelRequest } from './model-server.ts'
import type { World } from './world.ts'

export const HEARTBEAT_SECONDS = 3600
/** Settings of the extension under which a test may spawn as many children as it needs. */
export const ROOMY = { heartbeatSeconds: HEARTBEAT_SECONDS, liveChildrenMax: 50, spawnsPerDayMax: 50 }

/** What tests do with children of the operator in a world, and what they look at. */
export function childrenOf(world: World) {
  const spawn = (name: string, args: JsonObject = {}) =>
    doAs(world, 'lineage:spawn-child', '@operator', { name, ...args })
  const everySeconds = async (name: string) => {
    const id = scheduleId(world.reality.name, name, 'heartbeat')
    const { spec } = await world.temporal.schedule.getHandle(id).describe()
    return (spec.intervals?.[0]?.every ?? 0) / 1000
  }
  return {
    spawn,
    puppet: (name: string, args: JsonObject = {}) => spawn(name, { script: 'stage:puppet', ...args }),
    use: (name: string, tool: string, args: JsonObject = {}) =>
      play(world, name, { verb: 'do', operation: `lineage:${tool}`, target: `@${name}`, args }),
    profileOf: async (name: string) => (await rowOf(world, name)).qualities.lineage as JsonObject,
    everySeconds,
    hasHeartbeat: (name: string) =>
      everySeconds(name).then(
        () => true,
        () => false,
      ),
    factsOnReel: async (name: string, kind: string) =>
      (
        await world.db
          .selectFrom('fact')
          .select('bytes')
          .where('reel', '=', `being:${name}`)
          .where('kind', '=', kind)
          .where('bytes', 'is not', null)
          .$narrowType<{ bytes: NotNull }>()
          .orderBy('seq')
          .execute()
      ).map(({ bytes }) => JSON.parse(bytes.toString('utf8')) as JsonObject),
  }
}

export const systemOf = (request: ModelRequest | undefined) => request?.messages[0]?.content ?? ''

/** The answer of a model that uses a tool. */
export const usesTool = (tool: string, args: JsonObject = {}) => ({
  tool: { name: 'do', args: { operation: `lineage:${tool}`, args } },
})
