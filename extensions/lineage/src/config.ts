import { z } from 'zod'
import { isBuiltIn, ROLE_CONFIGS, type RoleConfig, TOOLS } from './roles.ts'

/** A role as the operator may change it; what is left out stays as in the table. */
const roleOverride = z
  .strictObject({
    description: z.string().max(500),
    inferenceModel: z.string().max(120),
    /** null takes the restriction away */
    allowedTools: z.array(z.enum(TOOLS)).nullable(),
    heartbeatMultiplier: z.number().min(0.01).max(1000),
    maxTokensPerTurn: z.number().int().min(1).max(1_000_000),
    autoSleep: z.boolean(),
  })
  .partial()

const override = z
  .strictObject({
    heartbeatSeconds: z.number().int().min(1).max(86_400),
    liveChildrenMax: z.number().int().min(0).max(1000),
    spawnsPerDayMax: z.number().int().min(0).max(1000),
    roles: z.partialRecord(z.enum(['generalist', 'writer', 'analyst', 'guardian']), roleOverride),
  })
  .partial()
export type LineageOverride = z.infer<typeof override>

export interface LineageConfig {
  /** base interval of heartbeats */
  readonly heartbeatSeconds: number
  /** children of one parent that live at once */
  readonly liveChildrenMax: number
  /** spawns of one parent within any 24 hours */
  readonly spawnsPerDayMax: number
  readonly roles: Readonly<Record<string, RoleConfig>>
}

/** An hour: each heartbeat of a child with a model may cost a model call. */
const HEARTBEAT_SECONDS = 3600

export function configure(given: LineageOverride = {}): LineageConfig {
  const { heartbeatSeconds = HEARTBEAT_SECONDS, liveChildrenMax = 4, spawnsPerDayMax = 4, roles = {} } = given
  const changed = Object.entries(ROLE_CONFIGS).map(([name, config]) => {
    const { allowedTools, ...rest } = (isBuiltIn(name) ? roles[name] : undefined) ?? {}
    const { allowedTools: tools, ...whole } = { ...config, ...rest }
    const held = allowedTools === undefined ? tools : allowedTools
    return [name, { ...whole, ...(held == null ? {} : { allowedTools: held }) } as RoleConfig] as const
  })
  return { heartbeatSeconds, liveChildrenMax, spawnsPerDayMax, roles: Object.fromEntries(changed) }
}

/**
 * Reads the variable TREEOS_LINEAGE: JSON such as {"heartbeatSeconds": 60, "roles": {"writer":
 * {"inferenceModel": ""}}}. All workers of a reality should have the same.
 * @throws {Error} naming the variable and what is wrong
 */
export function readOverride(text: string | undefined): LineageOverride {
  if (text === undefined || text.trim() === '') return {}
  try {
    return override.parse(JSON.parse(text))
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message
    throw new Error(`TREEOS_LINEAGE cannot be read: ${why}`)
  }
}
