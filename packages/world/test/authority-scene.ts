import type { FactDraft, Json, JsonObject, VerbCall } from '@treeos/core'
import { parseRole } from '@treeos/roles'
import { OPERATOR, roleInstalled, seed } from '../src/index.ts'
import { REPROFILE } from './carrier.ts'
import { born, MemoryWorld, spaceMade } from './memory-world.ts'

/** Everything that anybody here could reach for: what a pattern means is asked of these. */
export const ADDRESSES = [
  '/',
  '/library',
  '/den',
  '/den/n0',
  '/secret',
  '/secret/n0',
  '/court',
  '/court/n0',
  '/vault',
  '/vault/cell',
  '@operator',
  '@victim',
  '@twin',
]
export const ACTIONS = [...seed.operations.map(({ name }) => name), REPROFILE]
export const STANCES = [
  '@operator',
  '@role-manager',
  '@echo',
  '@twin',
  '@victim',
  '@clerk',
  '@ghost',
  '@mole',
]
export const BE = ['birth', 'connect', 'release']

/**
 * The being whose authority must not grow, and what it may do. It is a person, and can set, author, beget and
 * inhabit, all of it in a small world.
 */
export const MOLE = 'mole'
const MOLE_DOES = [
  'set-role',
  'delete-role',
  'set-roleflow',
  'set-default-role',
  'set-being',
  'create-space',
  'set-space',
  'add-contributor',
  'move',
  'set-world-signal',
  'grant-namespace',
  'revoke-namespace',
  'end-being',
  'pause-being',
  'resume-being',
  'subscribe',
  'create-matter',
  'set-matter',
  'write-matter',
  'take',
  'put',
  REPROFILE,
]
const ANY = [{ pattern: '*' }]
const MOLE_SEES = ['/den', { pattern: '/den/*' }, '/court', '/library', '/vault/cell']
/** Its role says more than its ceiling lets it have: `end-matter`. */
const ROLES: JsonObject[] = [
  {
    name: MOLE,
    canSee: MOLE_SEES,
    canDo: [...MOLE_DOES, 'end-matter'],
    canSummon: ['@role-manager', '@twin', { rel: 'asker' }, { rel: 'any-child' }, { pattern: '~/@*' }],
    canBe: BE,
    prompt: '',
  },
  // what it can hand on
  {
    name: 'pup',
    canSee: MOLE_SEES,
    canDo: MOLE_DOES,
    canSummon: ['@role-manager'],
    canBe: BE,
    prompt: '',
  },
  { name: 'wide', canSee: ANY, canDo: ANY, canSummon: ANY, canBe: ANY, prompt: '' },
  { name: 'judge', canDo: ['set-space', 'take'], canSee: ['/court'], prompt: '' },
  { name: 'mask', canSee: ['/den'], prompt: '' },
]
const CEILING = {
  canSee: MOLE_SEES,
  canDo: MOLE_DOES,
  canSummon: ANY,
  canBe: BE,
}

const PERSON = { kind: 'human', script: null } as const

const quality = (reel: string, path: string[], value: Json): FactDraft => ({
  reel,
  kind: 'quality:set',
  payload: { path, value, merge: false },
})
const moved = (being: string, to: string): FactDraft => ({
  reel: `being:${being}`,
  kind: 'being:moved',
  payload: { from: '/', to },
})
const thing = (id: string, place: string): FactDraft => ({
  reel: `matter:${id}`,
  kind: 'matter:created',
  payload: { id, type: 'thing', owner: 'operator', place, content: null, qualities: {} },
})

/** Makers on the way from the operator down to the lowest of a long line. */
const LINE = 62

/**
 * A den where anything goes, a court kept for judges and those at home there, a vault closed to the mole
 * although a cell in it is its own, a secret place; the mole, a child of it that the operator gave a wide
 * role, and others around.
 * @param deep with a line of births under the mole, as long as any may be
 */
export function scene(deep: boolean): MemoryWorld {
  const world = new MemoryWorld()
  for (const role of seed.roles) world.write('$reality', [roleInstalled(role, seed.name, world.keep)])
  const live = (author: string, role: JsonObject) => {
    const spec = parseRole(role) as unknown as JsonObject
    const payload = { name: role.name!, digest: world.keep(spec), origin: 'live', spec }
    world.write(author, [{ reel: 'registry', kind: 'role:set', payload }])
  }
  for (const role of ROLES) live(role.name === 'mask' ? 'twin' : 'operator', role)
  live(MOLE, { name: 'herald', canSee: ['/den'], prompt: '' })
  const kept = { requires: ['owner', { role: 'judge' }, 'home'] }
  world.write('operator', [
    quality('space:/library', ['permissions'], { do: { move: false } }),
    spaceMade('/den', 'operator', { do: { '*': true } }),
    spaceMade('/secret', 'operator'),
    spaceMade('/court', 'operator', { do: { 'set-space': kept, take: kept } }),
    spaceMade('/vault', 'operator', { do: { '*': { forbid: [{ role: MOLE }] } } }),
    spaceMade('/vault/cell', MOLE, { do: { '*': true } }),
    born(MOLE, 'operator', { cognition: PERSON, defaultRole: MOLE, home: '/den', ceiling: CEILING }),
    born('bailiff', MOLE, { home: '/den', qualities: { roleFlow: [{ role: 'wide' }] } }),
    born('twin', 'operator', { home: '/secret', qualities: { roleFlow: [{ role: 'herald', stack: true }] } }),
    born('victim', 'operator', {
      home: '/den',
      qualities: { roleFlow: [{ when: { 'world.court.in-session': true }, role: 'wide' }] },
    }),
    born('clerk', 'operator', { home: '/court' }),
    born('ghost', 'operator', { home: '/secret' }),
    moved('twin', '/den'),
    thing('gem', '/den'),
    thing('relic', '/secret'),
    thing('mace', '/court'),
    thing('purse', '@victim'),
    { reel: 'world:court', kind: 'signal:published', payload: { namespace: 'court', key: ['x'], value: 1 } },
    { reel: 'world:court', kind: 'signal:granted', payload: { namespace: 'court', being: 'bailiff' } },
    {
      reel: 'world:den',
      kind: 'signal:published',
      payload: { namespace: 'den', key: ['x'], value: 1, owner: MOLE },
    },
  ])
  for (let i = 0; deep && i < LINE; i++)
    world.write('operator', [
      born(`line-${i}`, i === 0 ? MOLE : `line-${i - 1}`, { defaultRole: 'pup', home: '/den' }),
    ])
  return world
}

const act = (operation: string, target: string, args: JsonObject): VerbCall => ({
  verb: 'do',
  operation,
  target,
  args,
})
const begets =
  (role: string, more: JsonObject = {}) =>
  (name: string): VerbCall => ({
    verb: 'be',
    operation: 'birth',
    args: { name, cognition: 'scripted', script: 'silent', role, ...more },
  })

const listing = (list: string, entries: Json[]): JsonObject[] => entries.map((entry) => ({ [list]: [entry] }))
/** What roles are written with: some of it the mole has, most of it not. */
const WRITTEN: JsonObject[] = [
  ...listing('canDo', [
    'end-matter',
    'set-budget',
    'mediate',
    'move',
    { pattern: '*' },
    { pattern: 'set-*' },
  ]),
  ...listing('canSee', ['/den', '/secret', '~', 'den/@operator', '/den/@victim']),
  ...listing('canSee', [{ pattern: '/den/*' }, { pattern: '*' }]),
  ...listing('canSummon', ['@twin', '@operator', { rel: 'parent' }, { pattern: '~/@*' }, { pattern: '*' }]),
  ...listing('canBe', ['birth', 'connect']),
  ...listing('see', ['stage:board']),
]

const AUTHORING: VerbCall[] = [
  ...['hat', 'herald'].flatMap((name) =>
    WRITTEN.map((lists) => act('set-role', '/', { role: { name, prompt: '', ...lists } })),
  ),
  ...['mask', 'judge', 'resident', MOLE].map((name) =>
    act('set-role', '/', { role: { name, canSee: ['/den'], prompt: 'mine now' } }),
  ),
  ...['mask', 'judge', 'resident', 'hat', 'herald'].map((name) =>
    act('delete-role', '/', { name, force: true }),
  ),
  ...['mole', 'bailiff', 'kid-0', 'twin', 'victim', 'operator', 'role-manager'].flatMap((being) =>
    ['hat', 'herald', 'judge', 'wide'].flatMap((role) => [
      act('set-roleflow', `@${being}`, { flow: [{ role, stack: true }] }),
      act('set-default-role', `@${being}`, { role }),
    ]),
  ),
  act('set-roleflow', '@bailiff', { flow: [] }),
  ...['court', 'den', 'fresh', 'seed'].flatMap((namespace) => [
    act('set-world-signal', '/', { namespace, key: 'in-session', value: true }),
    ...['mole', 'bailiff', 'twin'].map((being) =>
      act('grant-namespace', '/', { namespace, being: `@${being}` }),
    ),
    act('revoke-namespace', '/', { namespace, being: '@bailiff' }),
  ]),
]

const PROFILED: JsonObject[] = [
  { flow: [{ role: 'judge' }], ceiling: null },
  { flow: [{ role: 'wide' }], ceiling: null },
  { flow: [{ role: 'pup' }], ceiling: { canDo: ANY, canSee: ANY, canSummon: ANY, canBe: ANY } },
  { flow: [], ceiling: { canDo: ['move'] }, model: 'gpt-9', maxTokens: 9000 },
]
/** By an operation of an extension, which hands on whatever it is told. */
const PROFILES: VerbCall[] = [MOLE, 'bailiff', 'kid-0', 'twin', 'victim', 'operator', 'role-manager'].flatMap(
  (being) =>
    PROFILED.map(
      (profile): VerbCall => ({
        verb: 'do',
        operation: REPROFILE,
        target: null,
        args: { of: `@${being}`, ...profile },
      }),
    ),
)
const goes = (space: string) => act('move', space, {})
const GOING: VerbCall[] = ['/', '/den', '/secret', '/court'].map(goes)

const LIVING: VerbCall[] = [
  ...GOING,
  ...['/library', '/vault', '/vault/cell', '/den/n0'].map(goes),
  ...['mole', 'kid-0', 'bailiff', 'victim', 'operator'].flatMap((being) => [
    act('set-being', `@${being}`, { field: 'mood.tone', value: 'sad' }),
    act('set-being', `@${being}`, { field: 'roleFlow', value: [{ role: 'wide' }], merge: false }),
    act('set-being', `@${being}`, {
      field: 'subscription.spy',
      value: {
        scope: '/secret',
        below: false,
        field: 'ambient',
        priority: 'background',
        coalesceSeconds: 0,
        beings: true,
      },
    }),
  ]),
  ...['mole', 'kid-0', 'bailiff', 'twin', 'victim', 'operator', 'role-manager'].map((being) =>
    act('end-being', `@${being}`, {}),
  ),
  ...['/secret', '/den'].map((scope) =>
    act('subscribe', '@bailiff', { name: 'ear', scope, field: 'ambient.tone' }),
  ),
  ...['/', '/library', '/den', '/secret', '/court', '/vault', '/vault/cell', '/den/n0'].flatMap((space) => [
    act('set-space', space, { field: 'ambient.tone', value: 'loud' }),
    act('create-matter', space, { id: 'made' }),
    act('add-contributor', space, { being: '@mole' }),
  ]),
  act('set-space', '/den', { field: 'permissions.do', value: { 'set-space': true }, merge: false }),
  ...['/den', '/court', '/secret', '/vault/cell'].flatMap((target) =>
    ['/den/n0', '/court/n0', '/secret/n0', '/vault/cell/n0'].map((path) =>
      act('create-space', target, { path }),
    ),
  ),
  ...['gem', 'relic', 'mace', 'purse'].flatMap((id) => [
    act('take', `matter:${id}`, {}),
    act('put', `matter:${id}`, {}),
    act('set-matter', `matter:${id}`, { field: 'wear.worn', value: true }),
    act('write-matter', `matter:${id}`, { content: 'mine' }),
    act('end-matter', `matter:${id}`, {}),
  ]),
]

const TALKING: VerbCall[] = [
  ...[...STANCES, '@kid-0'].flatMap((target): VerbCall[] => [
    { verb: 'summon', target, content: 'hi', inReplyTo: null },
    { verb: 'summon', target, content: 'hi', inReplyTo: null, role: 'wide' },
    { verb: 'summon', target, content: 'hi', inReplyTo: 'another' },
    { verb: 'summon', target, content: 'hi', inReplyTo: null, orientation: 'inward' },
  ]),
  { verb: 'summon', target: null, content: 'hi', inReplyTo: null },
  ...[...ADDRESSES, '~', 'den/@victim'].map((address): VerbCall => ({ verb: 'see', address })),
  { verb: 'be', operation: 'connect', args: {} },
]

const BIRTHS: ((name: string) => VerbCall)[] = [
  ...[MOLE, 'pup', 'judge', 'herald', 'hat', 'wide', 'operator'].map((role) => begets(role)),
  ...['/secret', '/court', '/library', '/vault/cell'].flatMap((home) => [
    begets('judge', { home }),
    begets('pup', { home }),
  ]),
  begets('pup', { cognition: 'human', script: null }),
  begets('mask', { roleFlow: [{ role: 'wide' }] }),
  begets('pup', { ceiling: { canDo: ANY, canSee: ANY, canSummon: ANY, canBe: ANY } }),
]

/** A call, or a request to the role-manager: made by whoever, in whatever state the world is. */
export type Move =
  | {
      readonly kind: 'call'
      readonly call: (child: string, who: string) => VerbCall
      /** the maker of whoever's turn it is, or the operator; that one itself when left out */
      readonly by?: 'maker' | typeof OPERATOR
    }
  /** `asked` in the moment that is, or at the very beginning */
  | { readonly kind: 'request'; readonly call: VerbCall; readonly asked: 'now' | 'before' }

const called = (call: VerbCall): Move => ({ kind: 'call', call: () => call })
const requested = (call: VerbCall): Move[] =>
  (['now', 'before'] as const).map((asked) => ({ kind: 'request', call, asked }))

const be = (operation: string, being: string): VerbCall => ({
  verb: 'be',
  operation,
  args: { being: `@${being}` },
})
const leased = (operation: string, by?: 'maker' | typeof OPERATOR): Move => ({
  kind: 'call',
  call: (_child, who) => be(operation, who),
  ...(by === undefined ? {} : { by }),
})
export const CONNECT_BY = { operator: leased('connect', OPERATOR), maker: leased('connect', 'maker') }
export const RELEASE_BY = {
  operator: leased('release', OPERATOR),
  maker: leased('release', 'maker'),
  self: leased('release'),
}
/** Hands are laid on whoever's turn it is, and taken off. */
export const LEASE_MOVES: Move[] = [...Object.values(CONNECT_BY), ...Object.values(RELEASE_BY)]

const INHABITING: Move[] = [
  leased('connect'),
  ...[MOLE, 'bailiff', 'kid-0', 'kid-1', 'line-1', 'twin', OPERATOR].map((one) => called(be('connect', one))),
  ...[MOLE, 'bailiff', 'kid-0', 'victim'].map((one) => called(be('release', one))),
]

/** Everything that anybody may try: small enough to try all of it in one state of the world. */
export const BIRTH_MOVES: Move[] = BIRTHS.map((call) => ({ kind: 'call', call }))
/** Of a child that can do most of what its maker can. */
export const BEARING: Move = { kind: 'call', call: begets('pup') }
export const AUTHOR_MOVES: Move[] = AUTHORING.map(called)
/** What changes how things stand: where one is, what the bailiff was given, and whether it lives. */
export const TURNING_MOVES: Move[] = [
  ...GOING,
  act('set-roleflow', '@bailiff', { flow: [] }),
  act('end-being', '@bailiff', {}),
].map(called)
export const OTHER_MOVES: Move[] = [
  ...LIVING.map(called),
  ...PROFILES.map(called),
  ...TALKING.map(called),
  ...AUTHORING.map((call): Move => ({ kind: 'request', call, asked: 'now' })),
  // What nearly everybody here could do alone, so that it turns on when it was asked.
  ...INHABITING,
  ...requested(act('set-role', '/', { role: { name: 'cap', prompt: '' } })),
  ...requested(act('set-world-signal', '/', { namespace: 'den', key: 'in-session', value: true })),
  ...requested(act('move', '/den', {})),
  ...requested(act('mediate', '@role-manager', {})),
]
/**
 * Nothing else turns on it, so it is only tried at the end: among the steps it would make other meetings
 * rarer.
 */
const PAUSING: Move[] = ['mole', 'bailiff', 'victim', 'operator']
  .flatMap((being) => [act('pause-being', `@${being}`, {}), act('resume-being', `@${being}`, {})])
  .map(called)
export const ALL_MOVES: Move[] = [...BIRTH_MOVES, ...AUTHOR_MOVES, ...OTHER_MOVES, ...PAUSING]
/** What turns on who drives whoever does it, and on what was lent: enough to try under every lease. */
const LENT: VerbCall[] = [
  ...[
    ...listing('canDo', ['end-matter', { pattern: '*' }]),
    ...listing('canSee', ['/secret']),
    ...listing('canSummon', ['@twin', '@operator']),
    ...listing('see', ['stage:board']),
  ].map((lists) => act('set-role', '/', { role: { name: 'glove', prompt: '', ...lists } })),
  ...['court', 'den', 'fresh', 'seed'].map((namespace) =>
    act('set-world-signal', '/', { namespace, key: 'in-session', value: true }),
  ),
  act('set-roleflow', '@bailiff', { flow: [{ role: MOLE, stack: true }] }),
]
export const LENT_MOVES: Move[] = LENT.flatMap((call): Move[] => [
  called(call),
  { kind: 'request', call, asked: 'now' },
])
const schedules = (being: string) => act('set-schedule', `@${being}`, { name: 'dawn', everySeconds: 60 })
export const DRIVEN_MOVES: Move[] = [
  { kind: 'call', call: (_child, who) => schedules(who) },
  ...LENT_MOVES,
  ...INHABITING,
  ...[begets('wide'), begets('judge', { home: '/secret' })].map((call): Move => ({ kind: 'call', call })),
  ...[
    act('set-role', '/', { role: { name: MOLE, prompt: '' } }),
    act('set-space', '/secret', { field: 'ambient.tone', value: 'loud' }),
    act('set-being', '@victim', { field: 'mood.tone', value: 'sad' }),
  ].map(called),
]
/** What nearly everybody here may do, so that it turns on whether anybody drives at all. */
export const PLAIN: Move = called(act('move', '/den', {}))
