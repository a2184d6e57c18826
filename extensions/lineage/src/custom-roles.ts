import {
  asJson,
  type BeingRow,
  type BirthChoice,
  defineOperation,
  type Json,
  TreeosError,
  type WorldReader,
} from '@treeos/sdk'
import { z } from 'zod'
import { operationOf, recordOf, rolesDefinedBy, setProfilePart } from './child.ts'
import type { LineageConfig } from './config.ts'
import { requireHarmless } from './genesis.ts'
import { isBuiltIn, type RoleConfig, TOOLS } from './roles.ts'

const ROLES_MAX = 5
const ROLE_NAME = /^[a-z][a-z0-9-]{0,31}$/
export const roleName = z.string().regex(ROLE_NAME)

const LIMITS = {
  description: z.string().min(1).max(500),
  tools: z.array(z.enum(TOOLS)).max(TOOLS.length),
  model: z.string().max(120),
  heartbeatMultiplier: z.number().min(0.5).max(1000),
  maxTokensPerTurn: z.number().int().min(1).max(8192),
}
const kept = z.strictObject({
  description: LIMITS.description,
  inferenceModel: LIMITS.model,
  allowedTools: LIMITS.tools,
  heartbeatMultiplier: LIMITS.heartbeatMultiplier,
  maxTokensPerTurn: LIMITS.maxTokensPerTurn,
  autoSleep: z.boolean(),
})

interface CustomRoleSource {
  readonly world: WorldReader
  readonly parent: BeingRow
}

/**
 * The role of a child: a built-in one, or one that its parent defined. That one is held to the limits that
 * the parent has now.
 * @returns null when there is no role of that name
 * @throws {TreeosError} FORBIDDEN
 */
export async function findRole(
  config: LineageConfig,
  of: CustomRoleSource,
  role: string,
): Promise<RoleConfig | null> {
  const builtIn = Object.hasOwn(config.roles, role) ? config.roles[role] : undefined
  if (builtIn !== undefined) return builtIn
  const own = rolesDefinedBy(of.parent)
  const found = Object.hasOwn(own, role) && ROLE_NAME.test(role) ? kept.safeParse(own[role]).data : undefined
  return found === undefined ? null : requireOwn(config, of, found)
}

/** @throws {TreeosError} INVALID_INPUT, FORBIDDEN */
export async function requireRole(
  config: LineageConfig,
  of: CustomRoleSource,
  role: string,
): Promise<RoleConfig> {
  const found = await findRole(config, of, role)
  if (found !== null) return found
  const there = Object.keys({ ...config.roles, ...rolesDefinedBy(of.parent) }).join(', ')
  throw new TreeosError(
    'INVALID_INPUT',
    `there is no role ${JSON.stringify(role)} for a child; there is ${there}`,
  )
}

/**
 * The roles that a parent may give a child: the built-in ones, then its own. A role without restrictions may
 * use all tools.
 */
export function rolesFor(
  { roles }: LineageConfig,
  parent: Pick<BeingRow, 'qualities'>,
  allTools: number,
): BirthChoice[] {
  const own = Object.entries(rolesDefinedBy(parent)).flatMap(([name, role]) => {
    const { data } = kept.safeParse(role)
    return data === undefined ? [] : [[name, `${data.description} `, data.allowedTools.length] as const]
  })
  const builtIn = Object.entries(roles).map(
    ([name, { allowedTools }]) => [name, '', allowedTools?.length ?? allTools] as const,
  )
  return [...builtIn, ...own].map(([value, description, tools]) => ({
    value,
    description: `${description}${tools} operations`,
  }))
}

/** @throws {TreeosError} INVALID_INPUT, FORBIDDEN */
async function requireOwn(
  config: LineageConfig,
  { world, parent }: CustomRoleSource,
  role: z.infer<typeof kept>,
) {
  requireHarmless('description', role.description)
  await requireOwnTools(world, parent, role.allowedTools)
  requireOwnModel(config, parent, role)
  return role
}

export const defineChildRole = (config: LineageConfig) =>
  defineOperation({
    name: 'lineage:define-role',
    description: 'Defines a role of your own for children, within your own limits.',
    on: 'being',
    allow: ['self'],
    args: z.strictObject({
      name: roleName.describe('kebab-case'),
      description: LIMITS.description.describe('who such a child is'),
      tools: LIMITS.tools.describe('its tools'),
      model: LIMITS.model.optional().describe('name of a model; yours when left out'),
      heartbeatMultiplier: LIMITS.heartbeatMultiplier
        .optional()
        .describe('how much slower than the base it wakes'),
      maxTokensPerTurn: LIMITS.maxTokensPerTurn.optional().describe('most model tokens of one answer'),
      autoSleep: z.boolean().optional().describe('true: it sleeps once it has reported'),
    }),
    async decide({ actor, args, world }) {
      const { name, description, tools, model = '', heartbeatMultiplier = 1, maxTokensPerTurn = 4096 } = args
      if (isBuiltIn(name)) throw new TreeosError('RESOURCE_CONFLICT', `the role ${name} is there already`)
      const own = rolesDefinedBy(actor)
      if (!Object.hasOwn(own, name) && Object.keys(own).length >= ROLES_MAX)
        throw new TreeosError(
          'RATE_LIMITED',
          `@${actor.name} has defined ${ROLES_MAX} roles, which is the most`,
        )
      const role = await requireOwn(
        config,
        { world, parent: actor },
        {
          description,
          inferenceModel: model,
          allowedTools: [...new Set(tools)],
          heartbeatMultiplier,
          maxTokensPerTurn,
          autoSleep: args.autoSleep ?? false,
        },
      )
      return {
        facts: [
          setProfilePart(actor.name, 'roles', asJson({ ...own, [name]: role })),
          recordOf(actor.name, 'lineage:role-defined', { name, role: asJson(role) }),
        ],
        result: { role: name },
      }
    },
  })

/** @throws {TreeosError} FORBIDDEN for a tool above a ceiling of the parent or of its makers */
async function requireOwnTools(
  world: WorldReader,
  parent: BeingRow,
  tools: readonly (typeof TOOLS)[number][],
) {
  for (const { name, ceiling } of [parent, ...(await world.lineage(parent.name))]) {
    const held = ceiling?.canDo
    const beyond = tools.find(
      (tool) => held !== undefined && !held.some((entry) => holds(entry, operationOf(tool))),
    )
    if (beyond !== undefined)
      throw new TreeosError(
        'FORBIDDEN',
        `${beyond} is above the ceiling of @${name}: a role holds only tools of its own`,
      )
  }
}

const holds = (entry: unknown, action: string): boolean => {
  const pattern = typeof entry === 'string' ? entry : (entry as { pattern?: string }).pattern
  if (pattern === undefined) return false
  if (typeof entry === 'string') return entry === action
  const start = pattern.endsWith('*') ? pattern.slice(0, -1) : null
  return pattern === '*' || (start === null ? pattern === action : action.startsWith(start))
}

/** @throws {TreeosError} FORBIDDEN for a model that no role has, or an answer longer than the parent's own */
function requireOwnModel(
  { roles }: LineageConfig,
  parent: BeingRow,
  { inferenceModel: model, maxTokensPerTurn }: Pick<RoleConfig, 'inferenceModel' | 'maxTokensPerTurn'>,
): void {
  const llm = (parent.qualities.llm ?? {}) as { model?: Json; 'max-tokens'?: Json }
  const known = ['', llm.model, ...Object.values(roles).map(({ inferenceModel }) => inferenceModel)]
  if (!known.includes(model))
    throw new TreeosError(
      'FORBIDDEN',
      `the model ${model} is not one of yours; there is ${known.filter(Boolean).join(', ')}`,
    )
  const most = llm['max-tokens']
  if (typeof most === 'number' && maxTokensPerTurn > most)
    throw new TreeosError(
      'FORBIDDEN',
      `maxTokensPerTurn ${maxTokensPerTurn} is more than the ${most} of @${parent.name}`,
    )
}
