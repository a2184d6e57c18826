import { buildRegistry, seed } from '@treeos/world'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineExtension, defineOperation, defineRole, publishSignal, setQuality } from './index.ts'

const go = defineOperation({
  name: 'trip:go',
  description: 'Goes.',
  on: 'being',
  allow: ['self'],
  args: z.object({
    far: z.number().describe('in miles'),
    note: z.string().optional().describe('what for'),
    by: z.enum(['foot', 'cart']).describe('how'),
  }),
  decide: ({ target, args }) => ({ facts: [setQuality(target, 'trip.far', args.far)] }),
})
const base = { name: 'trip', version: '1.0.0' } as const

it('canDo takes what the extension and the substrate bring', () => {
  const role = defineRole({ name: 'trip:goer', canDo: ['trip:go', 'move', { pattern: 'set-*' }], prompt: '' })
  const trip = defineExtension({ ...base, roles: [role], operations: [go] })
  expect(buildRegistry([seed, trip]).roles.get('trip:goer')?.spec.canDo).toEqual([
    'trip:go',
    'move',
    { pattern: 'set-*' },
  ])
})

it('a misspelt action does not compile, and is refused by name where it is registered', () => {
  const role = defineRole({ name: 'trip:goer', canDo: ['trip:gone'], prompt: '' })
  // @ts-expect-error trip:gone is not an operation
  const trip = defineExtension({ ...base, roles: [role], operations: [go] })
  expect(() => buildRegistry([seed, trip])).toThrow(
    expect.objectContaining({
      code: 'INVALID_INPUT',
      message: 'role trip:goer of extension trip names "trip:gone" in canDo, which nothing here brings',
    }),
  )
  const minter = defineRole({ name: 'trip:minter', canBe: ['mint'], prompt: '' })
  expect(() => buildRegistry([seed, defineExtension({ ...base, roles: [minter] })])).toThrow(
    /"mint" in canBe/,
  )
})

it('arguments are listed from their schema', () => {
  expect(go.args).toEqual({
    far: 'in miles (number)',
    note: 'what for (string); may be left out',
    by: 'how (foot, cart)',
  })
  // And whole, for whoever renders a form of it.
  expect(go.schema).toMatchObject({
    type: 'object',
    properties: { far: { type: 'number', description: 'in miles' }, by: { enum: ['foot', 'cart'] } },
    required: ['far', 'by'],
  })
})

describe('what an operation and its arguments are is said where it is defined', () => {
  const defined = (more: object) => () =>
    defineOperation({
      ...{ name: 'trip:x', description: 'Goes.', on: 'being', allow: [], decide: () => ({ facts: [] }) },
      ...more,
    } as never)
  const bare = z.object({ far: z.number(), by: z.string() })
  const untold = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } }

  it('else it throws, and names what is missing', () => {
    expect(defined({ description: ' ' })).toThrow(/trip:x does not say what it does/)
    expect(defined({ args: bare })).toThrow(/nothing says what far of operation trip:x is/)
    expect(defined({ args: bare, about: { far: 'in miles' } })).toThrow(/what by of operation trip:x is/)
    expect(defined({ args: untold })).toThrow(/nothing says what the args of operation trip:x are/)
  })

  it('in the schema, or in `about`, which takes a word for each argument', () => {
    const about = { far: 'in miles', by: 'how' }
    expect(defined({ args: bare, about })().args).toEqual({ far: 'in miles (number)', by: 'how (string)' })
    expect(defined({ args: untold, about })().args).toEqual(about)
    const args = { name: 'trip:x', description: 'Goes.', on: 'being', allow: [], args: bare } as const
    const decide = () => ({ facts: [] })
    // @ts-expect-error nothing says what `by` is
    expect(() => defineOperation({ ...args, about: { far: 'in miles' }, decide })).toThrow(TypeError)
  })
})

it.each([
  'permissions',
  'schedule',
  'subscription',
  'wake',
  'being',
  'space',
  'matter',
  'thread',
  'role',
  'quality',
  'signal',
  'place',
  'seed',
])('may not be called %s', (name) => {
  expect(() => defineExtension({ name, version: '1.0.0' })).toThrow(/is reserved/)
})

it('two extensions cannot claim one name, nor one of them what is another’s', () => {
  const other = defineExtension({ ...base, version: '2.0.0' })
  expect(() => buildRegistry([seed, defineExtension(base), other])).toThrow(
    expect.objectContaining({ code: 'RESOURCE_CONFLICT', message: 'extension trip is given twice' }),
  )
  const stray = (part: object) => () => defineExtension({ ...base, ...part })
  const role = defineRole({ name: 'court:judge', prompt: '' })
  const stranger = (name: string) => new RegExp(`"${name}" of extension trip must be named trip:`)
  expect(stray({ roles: [role] })).toThrow(stranger('court:judge'))
  expect(stray({ operations: [{ ...go, name: 'court:rule' }] })).toThrow(stranger('court:rule'))
  for (const part of [
    'see',
    'relations',
    'patterns',
    'resolvers',
    'scripts',
    'spaceTypes',
    'matterTypes',
    'schedules',
    'hooks',
  ])
    expect(stray({ [part]: { 'court:x': 'x' } })).toThrow(stranger('court:x'))
  // A signal is named without its namespace, which is the extension's name: so nobody can name another's.
  expect(stray({ signals: { 'court:x': '' } })).toThrow(/"court:x" of extension trip is not a dotted/)
})

it('anything but a schema, a field or an act is refused where it is written', () => {
  const args = { parse: () => true } as never
  expect(() =>
    defineOperation({
      name: 'trip:x',
      description: 'Goes.',
      on: 'being',
      allow: [],
      args,
      decide: () => ({ facts: [] }),
    }),
  ).toThrow(/args of operation trip:x are not a Standard Schema/)
  expect(() => publishSignal('trip', 1)).toThrow(/trip/)
  expect(() => defineExtension({ ...base, scene: [{ verb: 'fly' } as never] })).toThrow(/fly/)
  expect(() => defineExtension({ ...base, operations: [{ ...go, name: 'go' }] })).toThrow(
    /must be named trip:/,
  )
})

it('the form of a birth is for an operation that the extension brings', () => {
  const field = {
    name: 'by',
    label: 'By',
    input: 'choice',
    choices: () => [{ value: 'foot', description: '' }],
  } as const
  const form = { title: 'A child that goes', action: 'trip:go', button: 'Go', fields: [field] } as const
  const trip = defineExtension({ ...base, operations: [go], birthForms: [form] })
  expect(buildRegistry([seed, trip]).birthForms).toEqual([form])
  const strange = { ...form, action: 'birth' } as const
  // @ts-expect-error birth is no operation of the extension
  expect(() => defineExtension({ ...base, operations: [go], birthForms: [strange] })).toThrow(
    /"birth" of extension trip must be named trip:/,
  )
})
