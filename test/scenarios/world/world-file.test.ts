import { act } from '@treeos/client'
import type { VerbCall } from '@treeos/core'
import { exportWorld, planOf, plantWorld, readWorldRows, readWorldText, writeWorld } from '@treeos/world-file'
import { beforeAll, expect, it } from 'vitest'
import { rowOf } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { useWorld } from '../../support/use-world.ts'
import type { World } from '../../support/world.ts'

const here = useWorld({ extensions: [stage] })
const there = useWorld({ extensions: [stage] })

const doing = (target: string, operation: string, args: object = {}): VerbCall =>
  ({ verb: 'do', target, operation, args }) as VerbCall
const asOperator = async (world: World, calls: readonly VerbCall[]) => {
  for (const call of calls) await act(world, 'operator', call)
}
const fileOf = async (world: World) => writeWorld(exportWorld(await readWorldRows(world.db)), 'yaml')
const planIn = async (world: World, text: string) =>
  planOf(readWorldText(text, 'w.yaml'), await readWorldRows(world.db))
const plant = async (world: World, text: string, as = 'operator') =>
  plantWorld(as === 'operator' ? world : { ...world, person: as }, as, await planIn(world, text), {
    file: 'w.yaml',
  })

const CEILING = { canSee: [{ pattern: '*' }], canDo: ['move', 'take'], canSummon: ['@ann'], canBe: ['birth'] }
const NARROWER = { canSee: ['/yard'], canDo: ['take', 'put'], canSummon: ['@ann', '@guard'], canBe: [] }
const NIGHT = { name: 'night-guard', canSee: ['/yard'], canDo: ['move'], prompt: 'You watch.\n\nAt night.' }

beforeAll(async () => {
  await asOperator(here, [
    doing('/', 'set-role', { role: NIGHT }),
    doing('/', 'create-space', { path: '/yard', type: 'room', size: { x: 4, y: 4, z: 1 } }),
    doing('/yard', 'create-space', { path: '/yard/shed', coord: { x: 1, y: 2, z: 0 } }),
    { verb: 'be', operation: 'birth', args: { name: 'ann', cognition: 'human' } },
  ])
  const flow = [{ when: { 'world.sky.dark': true }, role: 'night-guard' }]
  const guard = { cognition: 'llm', home: '/yard', roleFlow: flow, connection: 'small', ceiling: CEILING }
  await here.birth({ ...guard, name: 'guard', role: 'night-guard' })
  await here.birthPuppet('maker', { ceiling: CEILING })
  await asOperator(here, [
    doing('@guard', 'set-budget', { tokens: 5000, per: 'day' }),
    doing('@guard', 'set-being', { field: 'mood', value: { tone: 'calm', since: 3 } }),
    doing('@guard', 'set-schedule', { name: 'round', everySeconds: 3600, content: { go: 'round' } }),
    doing('@guard', 'pause-being'),
    doing('@echo', 'subscribe', { name: 'sky', scope: 'everywhere', field: 'world.sky.dark' }),
    doing('/', 'set-world-signal', { namespace: 'sky', key: 'dark', value: true }),
    doing('/', 'grant-namespace', { namespace: 'sky', being: '@guard' }),
    doing('/yard', 'add-contributor', { being: '@ann' }),
    doing('/yard', 'set-space', { field: 'ambient.tone', value: 'quiet' }),
    doing('/yard', 'set-space', {
      field: 'permissions.do',
      value: {
        take: { requires: ['home'], ask: { who: ['@ann'], within: 60 } },
        '*': { forbid: [{ role: 'guest' }] },
      },
    }),
    doing('@maker', 'set-budget', { hops: 3 }),
  ])
  await here.birth({ name: 'gone', cognition: 'human' })
  await act(here, 'operator', doing('@gone', 'end-being'))
})

it('a world that is planted elsewhere is the same file again, and planting it twice changes nothing', async () => {
  const text = await fileOf(here)
  const dry = await planIn(there, text)
  expect(dry.conflicts).toEqual([])
  expect(dry.steps.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['roles.night-guard', 'spaces./yard', 'beings.guard', 'spaces./yard.rules.do']),
  )
  const planted = await plant(there, text)
  expect(planted).toHaveLength(dry.steps.length)
  expect(planted.every((step) => step.act !== null)).toBe(true)
  expect(await fileOf(there)).toBe(text)
  expect(await plant(there, text)).toEqual([])
  expect(text).not.toMatch(/operator|gone|parent|owner|bornAt|passkey|lease/)
  expect(await rowOf(there, 'guard')).toMatchObject({ parent: 'operator', paused: expect.any(Number) })
})

it('a ceiling holds what the makers that stay behind held', async () => {
  await act(here, 'operator', { verb: 'be', operation: 'connect', args: { being: '@maker' } })
  const child = { name: 'child', cognition: 'scripted', script: 'echo', role: 'resident', ceiling: NARROWER }
  await act(here, 'maker', { verb: 'be', operation: 'birth', args: child })
  await act(here, 'operator', { verb: 'be', operation: 'release', args: { being: '@maker' } })
  const { beings } = exportWorld(await readWorldRows(here.db))
  expect(beings.child?.ceiling).toEqual({
    canSee: ['/yard'],
    canDo: ['take'],
    canSummon: ['@ann'],
    canBe: [],
  })
  expect(beings.child?.budget).toEqual({ hops: 3, per: 'total' })
})

it('a file that leaves out what has a default changes nothing when it is planted again', async () => {
  const text = `treeos: 1
roles:
  short: {prompt: x}
signals: {moon: {values: {gone: null}}}
spaces:
  /nook: {type: room, qualities: {ambient: {tone: calm, gone: null}}}
beings:
  brief:
    cognition: scripted
    script: echo
    home: /
    budget: {hops: 2, tokens: null}
    flow: [{role: resident}]
    schedules: {round: {everySeconds: 3600}}
    subscriptions: {sky: {scope: everywhere, field: world.sky.dark, equals: true}}
`
  expect(await plant(there, text)).toHaveLength(7)
  expect(await plant(there, text)).toEqual([])
})

it('planting brings no authority: each act has to be allowed to who plants, and an error names file and path', async () => {
  const text = 'treeos: 1\nroles:\n  king:\n    canDo: [{pattern: "*"}]\n    prompt: You rule.\n'
  const refused = await plant(there, text, 'ann').catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'FORBIDDEN', detail: { path: 'roles.king', planted: [] } })
  expect(String(refused)).toContain('w.yaml: roles.king: ')
  const kept = await plant(there, 'treeos: 1\nsignals:\n  sky: {values: {dark: false}}\n', 'ann').catch(
    String,
  )
  expect(kept).toContain('w.yaml: signals.sky.values.dark: ')
  const rules = 'treeos: 1\nspaces:\n  /: {type: root, rules: {do: {"*": {forbid: [anyone]}}}}\n'
  expect(await plant(there, rules, 'ann').catch(String)).toContain('w.yaml: spaces./.rules.do: ')
})

it('what is there and cannot be changed is told, and then nothing is planted', async () => {
  const guard =
    '  guard: {cognition: llm, role: resident, home: /yard, ceiling: {canSee: [], canDo: [], canSummon: [], canBe: []}}'
  const text = `treeos: 1\nroles:\n  new: {prompt: x}\nbeings:\n${guard}\n  birther: {cognition: scripted, home: /}\n`
  const { conflicts } = await planIn(there, text)
  expect(conflicts.map(({ path }) => path)).toEqual([
    'beings.guard.role',
    'beings.guard.ceiling',
    'beings.birther',
  ])
  await expect(plant(there, text)).rejects.toMatchObject({ code: 'RESOURCE_CONFLICT' })
  expect((await readWorldRows(there.db)).roles.has('new')).toBe(false)
})

it('what holds words from outside holds them where it is planted, too', async () => {
  const fromOutside = (call: VerbCall) => act(here, 'operator', call, undefined, undefined, true)
  await fromOutside(doing('/yard/shed', 'set-space', { field: 'note.text', value: 'obey' }))
  await fromOutside(doing('/', 'set-role', { role: { name: 'told', prompt: 'Obey.' } }))
  await fromOutside(doing('/', 'set-world-signal', { namespace: 'news', key: 'of', value: 'obey' }))
  await fromOutside(doing('@ann', 'set-being', { field: 'note.text', value: 'obey' }))
  const { outside } = exportWorld(await readWorldRows(here.db))
  expect(outside).toEqual(['beings.ann', 'roles.told', 'signals.news', 'spaces./yard/shed'])
  const file = `treeos: 1
roles: {told: {prompt: Obey.}, own: {prompt: Greet.}}
signals: {news: {values: {of: obey}}}
spaces: {/desk: {type: room, qualities: {note: {text: obey}}}, /desk/drawer: {type: room}}
beings: {page: {cognition: human, home: /}, note: {cognition: human, home: /, qualities: {note: {text: obey}}}}
outside: [beings.note, roles.told, signals.news, spaces./desk]
`
  await plant(there, file)
  expect([...(await readWorldRows(there.db)).outside].sort()).toEqual([
    'beings.note',
    'roles.told',
    'signals.news',
    'spaces./desk',
  ])
  await expect(
    planIn(there, file.replace('signals.news]', 'signals.gone]').replace('spaces./desk]', 'spaces./des]')),
  ).rejects.toMatchObject({
    message: expect.stringContaining('takes a part of this file'),
  })
})
