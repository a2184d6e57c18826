/**
 * The built-in profiles of children. The text that a child reads uses the tool names here; operations have
 * kebab-case names.
 */
export type AutomatonRole = 'generalist' | 'writer' | 'analyst' | 'guardian'

/**
 * Tools by the names that children read. Each is the operation of the same name: `read_file` is
 * `lineage:read-file`.
 */
export const TOOLS = [
  'read_file',
  'write_file',
  'list_files',
  'exec_command',
  'run_skill',
  'inbox_read',
  'inbox_reply',
  'update_genesis_prompt',
  'log_thought',
  'update_soul',
] as const
export type Tool = (typeof TOOLS)[number]

/** What a role settles for a child. */
export interface RoleConfig {
  readonly description: string
  /** name of a model; empty: the child has its parent's */
  readonly inferenceModel: string
  /** left out: no restriction */
  readonly allowedTools?: readonly Tool[]
  /** the child's heartbeat interval is the base interval times this */
  readonly heartbeatMultiplier: number
  /** most model tokens of one answer */
  readonly maxTokensPerTurn: number
  /** true: the child sleeps once it has reported, and wakes on its next task */
  readonly autoSleep: boolean
}

export const ROLE_CONFIGS: Readonly<Record<AutomatonRole, RoleConfig>> = {
  generalist: {
    description: 'General-purpose agent. No tool restrictions. Inherits parent config.',
    inferenceModel: '',
    heartbeatMultiplier: 1,
    maxTokensPerTurn: 4096,
    autoSleep: false,
  },
  writer: {
    description: 'Content creation specialist. Writes, publishes, and earns through content.',
    inferenceModel: 'gpt-4o',
    allowedTools: TOOLS,
    heartbeatMultiplier: 2,
    maxTokensPerTurn: 8192,
    autoSleep: false,
  },
  analyst: {
    description: 'Market intelligence specialist. Finds opportunities, evaluates signals, reports findings.',
    inferenceModel: 'gpt-4o',
    allowedTools: [
      'read_file',
      'write_file',
      'exec_command',
      'run_skill',
      'inbox_read',
      'inbox_reply',
      'log_thought',
    ],
    heartbeatMultiplier: 1.5,
    maxTokensPerTurn: 8192,
    autoSleep: true,
  },
  guardian: {
    description: 'Security and health monitor. Watches for threats, anomalies, and lineage health.',
    inferenceModel: 'gpt-4o-mini',
    allowedTools: ['read_file', 'exec_command', 'run_skill', 'inbox_read', 'inbox_reply', 'log_thought'],
    heartbeatMultiplier: 0.5,
    maxTokensPerTurn: 2048,
    autoSleep: false,
  },
}

export const isBuiltIn = (role: string): role is AutomatonRole => Object.hasOwn(ROLE_CONFIGS, role)

/** The configuration of a role. Anything that is not a role counts as generalist. */
export function getRoleConfig(
  role: string | undefined,
  configs: Readonly<Record<string, RoleConfig>> = ROLE_CONFIGS,
): RoleConfig {
  const known = role !== undefined && Object.hasOwn(configs, role) ? configs[role] : undefined
  return known ?? configs.generalist ?? ROLE_CONFIGS.generalist
}

/** The part of a role that its block in the genesis prompt shows. */
export type Preamble = Pick<RoleConfig, 'description' | 'allowedTools' | 'autoSleep'>

/** The role's block of a genesis prompt; empty for a generalist. */
export function buildRolePreamble(role: string, config: Preamble = getRoleConfig(role)): string {
  if (role === 'generalist') return ''
  const { description, allowedTools, autoSleep } = config
  return [
    `--- ROLE: ${role.toUpperCase()} ---`,
    description,
    ...(allowedTools === undefined ? [] : [`Your tool access is restricted to: ${allowedTools.join(', ')}.`]),
    ...(autoSleep ? ['When your current task is complete, go to sleep to conserve compute.'] : []),
    '--- END ROLE ---',
  ].join('\n')
}
