import { describe, expect, it } from 'vitest'
import { buildRolePreamble, getRoleConfig, ROLE_CONFIGS, TOOLS } from './roles.ts'

describe('getRoleConfig', () => {
  it('returns correct config for each role (generalist, writer, analyst, guardian)', () => {
    const table = Object.entries(ROLE_CONFIGS).map(([role, config]) => {
      const { inferenceModel, heartbeatMultiplier, maxTokensPerTurn, autoSleep, allowedTools } =
        getRoleConfig(role)
      expect(getRoleConfig(role)).toBe(config)
      return [role, inferenceModel, heartbeatMultiplier, maxTokensPerTurn, autoSleep, allowedTools?.join(' ')]
    })
    expect(table).toEqual([
      ['generalist', '', 1, 4096, false, undefined],
      ['writer', 'gpt-4o', 2, 8192, false, TOOLS.join(' ')],
      [
        'analyst',
        'gpt-4o',
        1.5,
        8192,
        true,
        'read_file write_file exec_command run_skill inbox_read inbox_reply log_thought',
      ],
      [
        'guardian',
        'gpt-4o-mini',
        0.5,
        2048,
        false,
        'read_file exec_command run_skill inbox_read inbox_reply log_thought',
      ],
    ])
    expect(TOOLS).toHaveLength(10)
  })

  it('falls back to generalist for undefined input', () => {
    expect(getRoleConfig(undefined)).toBe(ROLE_CONFIGS.generalist)
  })

  it('falls back to generalist for unknown role string', () => {
    for (const role of ['', 'Writer', 'wizard', '__proto__', 'constructor', 'toString'])
      expect(getRoleConfig(role)).toBe(ROLE_CONFIGS.generalist)
  })
})

describe('buildRolePreamble', () => {
  it('returns empty string for generalist (no noise in default case)', () => {
    expect(buildRolePreamble('generalist')).toBe('')
  })

  it('writer preamble contains role header and description', () => {
    expect(buildRolePreamble('writer')).toBe(
      '--- ROLE: WRITER ---\n' +
        'Content creation specialist. Writes, publishes, and earns through content.\n' +
        'Your tool access is restricted to: read_file, write_file, list_files, exec_command, run_skill, inbox_read, ' +
        'inbox_reply, update_genesis_prompt, log_thought, update_soul.\n' +
        '--- END ROLE ---',
    )
  })

  it('analyst preamble contains role header, description, and auto-sleep directive', () => {
    expect(buildRolePreamble('analyst')).toBe(
      '--- ROLE: ANALYST ---\n' +
        'Market intelligence specialist. Finds opportunities, evaluates signals, reports findings.\n' +
        'Your tool access is restricted to: read_file, write_file, exec_command, run_skill, inbox_read, inbox_reply, ' +
        'log_thought.\n' +
        'When your current task is complete, go to sleep to conserve compute.\n' +
        '--- END ROLE ---',
    )
  })

  it('guardian preamble contains role header and description', () => {
    expect(buildRolePreamble('guardian')).toBe(
      '--- ROLE: GUARDIAN ---\n' +
        'Security and health monitor. Watches for threats, anomalies, and lineage health.\n' +
        'Your tool access is restricted to: read_file, exec_command, run_skill, inbox_read, inbox_reply, log_thought.\n' +
        '--- END ROLE ---',
    )
  })
})

describe('role config properties', () => {
  it('guardian uses gpt-4o-mini, analyst uses gpt-4o (cost tier ordering)', () => {
    expect(getRoleConfig('guardian').inferenceModel).toBe('gpt-4o-mini')
    expect(getRoleConfig('analyst').inferenceModel).toBe('gpt-4o')
  })

  it('heartbeat multiplier: guardian (0.5) < generalist (1) < writer (2)', () => {
    const multipliers = ['guardian', 'generalist', 'writer'].map(
      (role) => getRoleConfig(role).heartbeatMultiplier,
    )
    expect(multipliers).toEqual([0.5, 1, 2])
  })

  it('analyst has autoSleep=true, guardian has autoSleep=false', () => {
    expect(getRoleConfig('analyst').autoSleep).toBe(true)
    expect(getRoleConfig('guardian').autoSleep).toBe(false)
  })

  it('writer maxTokensPerTurn > guardian maxTokensPerTurn', () => {
    expect(getRoleConfig('writer').maxTokensPerTurn).toBeGreaterThan(
      getRoleConfig('guardian').maxTokensPerTurn,
    )
  })
})
