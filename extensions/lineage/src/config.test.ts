import { describe, expect, it } from 'vitest'
import { configure, readOverride } from './config.ts'
import { rolesFor } from './custom-roles.ts'
import { ROLE_CONFIGS } from './roles.ts'

describe('the table of roles is data', () => {
  it('is as the built-in one without a setting', () => {
    expect(configure(readOverride(undefined))).toEqual({
      heartbeatSeconds: 3600,
      liveChildrenMax: 4,
      spawnsPerDayMax: 4,
      roles: ROLE_CONFIGS,
    })
  })

  it('a setting changes only what it names', () => {
    const text =
      '{"heartbeatSeconds": 60, "roles": {"writer": {"inferenceModel": "", "allowedTools": ["read_file"]}}}'
    const { heartbeatSeconds, roles } = configure(readOverride(text))
    expect(heartbeatSeconds).toBe(60)
    expect(roles).toEqual({
      ...ROLE_CONFIGS,
      writer: { ...ROLE_CONFIGS.writer, inferenceModel: '', allowedTools: ['read_file'] },
    })
    const free = configure(readOverride('{"roles": {"guardian": {"allowedTools": null}}}')).roles.guardian
    expect(free).not.toHaveProperty('allowedTools')
  })

  it.each([
    ['{', 'JSON'],
    ['{"rolls": {}}', 'rolls'],
    ['{"roles": {"wizard": {}}}', 'wizard'],
    ['{"roles": {"writer": {"allowedTools": ["fly"]}}}', 'allowedTools'],
    ['{"heartbeatSeconds": 0}', 'heartbeatSeconds'],
  ])('%s is refused, naming what is wrong', (text, why) => {
    expect(() => readOverride(text)).toThrow(new RegExp(`^TREEOS_LINEAGE cannot be read: [\\s\\S]*${why}`))
  })
})

describe('rolesFor', () => {
  const own = {
    description: 'Draws maps.',
    inferenceModel: '',
    allowedTools: ['read_file', 'write_file'],
    heartbeatMultiplier: 1,
    maxTokensPerTurn: 4096,
    autoSleep: false,
  }
  it('offers the built-in roles, then those that the parent defined, each with the number of its operations', () => {
    const choices = rolesFor(configure(), { qualities: { lineage: { roles: { mapper: own } } } }, 17)
    expect(choices).toEqual([
      { value: 'generalist', description: '17 operations' },
      { value: 'writer', description: '10 operations' },
      { value: 'analyst', description: '7 operations' },
      { value: 'guardian', description: '6 operations' },
      { value: 'mapper', description: 'Draws maps. 2 operations' },
    ])
  })

  it('leaves out what is no role, since set-being may put anything there', () => {
    const choices = rolesFor(
      configure(),
      { qualities: { lineage: { roles: { odd: 7, map: { description: 'x' } } } } },
      17,
    )
    expect(choices.map(({ value }) => value)).toEqual(['generalist', 'writer', 'analyst', 'guardian'])
  })
})
