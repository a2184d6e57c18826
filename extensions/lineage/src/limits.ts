import { type BeingRow, TreeosError, type WorldReader } from '@treeos/sdk'
import { isLiving } from './child.ts'
import type { LineageConfig } from './config.ts'

const DAY_MS = 86_400_000

interface SpawnContext {
  readonly world: WorldReader
  readonly actor: BeingRow
  readonly openedAt: number
}

/**
 * The children that count: those born with a role of this extension. Their profile does not count, since a
 * parent that may set qualities could take it away.
 */
async function childrenThatCount({ world, actor }: Omit<SpawnContext, 'openedAt'>): Promise<BeingRow[]> {
  const names = await world.children(actor.name)
  await world.prefetch(names.map((name) => `being:${name}`))
  const rows = await Promise.all(names.map((name) => world.being(name)))
  return rows.filter((row) => row !== null && row.defaultRole?.startsWith('lineage:') === true) as BeingRow[]
}

/** Whether one more child may live. @throws {TreeosError} RATE_LIMITED */
export async function requireRoomForChild(
  { liveChildrenMax }: LineageConfig,
  at: Omit<SpawnContext, 'openedAt'>,
): Promise<void> {
  const live = (await childrenThatCount(at)).filter(isLiving)
  if (live.length < liveChildrenMax) return
  throw new TreeosError(
    'RATE_LIMITED',
    `@${at.actor.name} has ${live.length} live children (${live.map(({ name }) => `@${name}`).join(', ')}), and at most ${liveChildrenMax} may live at once`,
  )
}

/** Whether one more child may be spawned. @throws {TreeosError} RATE_LIMITED */
export async function requireWithinLimits(config: LineageConfig, at: SpawnContext): Promise<void> {
  await requireRoomForChild(config, at)
  const { spawnsPerDayMax } = config
  const today = (await childrenThatCount(at)).filter(({ bornAt }) => bornAt > at.openedAt - DAY_MS)
  if (today.length < spawnsPerDayMax) return
  throw new TreeosError(
    'RATE_LIMITED',
    `@${at.actor.name} spawned ${today.length} children within 24 hours, and at most ${spawnsPerDayMax} are allowed`,
  )
}
