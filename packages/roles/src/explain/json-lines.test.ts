import { describe, expect, it } from 'vitest'
import { composeLine, evalLine } from '../index.ts'

const line = {
  id: 7,
  flow: [
    { when: { 'world.x': { gtt: 1 } }, role: 'judge' },
    { when: { 'caller.cognition': 'human' }, role: 'friendly' },
    { stack: true, role: 'bored' },
  ],
  defaultRole: 'worker',
  roles: {
    judge: {},
    friendly: { requiredCognition: 'llm' },
    bored: { requiredCognition: null },
    worker: {},
  },
  cognition: 'llm',
  context: { caller: { cognition: 'human' } },
}

describe('a line of flow eval', () => {
  it('is answered under its id; a malformed clause is skipped', () => {
    expect(evalLine(line)).toEqual({ id: 7, primary: 'friendly', stacked: ['bored'] })
  })

  it('names the default, registered or not, and null when there is none', () => {
    expect(evalLine({ ...line, context: {}, defaultRole: 'ghost' })).toMatchObject({ primary: 'ghost' })
    expect(evalLine({ ...line, context: {}, defaultRole: null })).toMatchObject({
      primary: null,
      stacked: ['bored'],
    })
    const { defaultRole: _, ...bare } = line
    expect(evalLine({ ...bare, context: {} })).toMatchObject({ primary: null })
  })

  it.each([
    ['a line that is not an object', [], /a line is an object, not an array/],
    ['id', { ...line, id: undefined }, null],
    ['flow', { ...line, flow: {} }, /field flow is \{\}, but should be an array of clauses/],
    ['roles', { ...line, roles: ['judge'] }, /field roles is \["judge"\], but should be an object/],
    ['a role', { ...line, roles: { judge: 1 } }, /field roles\.judge is 1/],
    [
      'a need',
      { ...line, roles: { judge: { requiredCognition: 'x' } } },
      /roles\.judge\.requiredCognition is "x"/,
    ],
    [
      'cognition',
      { ...line, cognition: 'panel' },
      /cognition is "panel", but should be one of llm, human, scr/,
    ],
    ['defaultRole', { ...line, defaultRole: 3 }, /field defaultRole is 3/],
    ['context', { ...line, context: null }, /field context is null/],
  ])('%s is refused by its name when it is wrong', (field, input, message) => {
    if (message !== null) expect(() => evalLine(input)).toThrow(message)
    if (!(field in line)) return
    const { [field as 'id']: _, ...without } = line
    if (field === 'defaultRole') return
    expect(() => evalLine(without)).toThrow(`field ${field} is missing`)
  })
})

describe('a line of role compose', () => {
  const roles = [
    { name: 'worker', canSee: ['line'], prompt: 'You work.' },
    { name: 'bored', canSee: ['line', 'sky'], canDo: ['yawn'], prompt: 'You are bored.' },
  ]

  it('is answered under its id with the composed surface and prompt', () => {
    expect(composeLine({ id: 'a', roles })).toEqual({
      id: 'a',
      canSee: ['line', 'sky'],
      canDo: ['yawn'],
      canSummon: [],
      canBe: [],
      prompt: 'You work.\n\n---\n\nAdditionally, you are currently in this mode — bored:\n\nYou are bored.',
    })
  })

  it.each([
    [{ roles }, /field id is missing/],
    [{ id: 1 }, /field roles is missing; it is an array of at least one role/],
    [{ id: 1, roles: [] }, /field roles is \[\]/],
    [{ id: 1, roles: [...roles, { name: 'x', promt: '' }] }, /roles\[2\]: role field promt is not a field/],
    [{ id: 1, roles: [{ name: 'x', prompt: { function: 'a@1.0.0' } }] }, /roles\[0\]: field prompt is/],
    [null, /a line is an object, not null/],
  ])('%j is refused', (input, message) => {
    expect(() => composeLine(input)).toThrow(message)
    expect(() => composeLine(input)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }))
  })
})
