import { describe, expect, it } from 'vitest'
import { lintRole } from './lint-role.ts'

const known = { canDo: ['set-space', 'court:rule'], canBe: ['birth'], see: ['harmony:neighbors'] }

describe('lintRole', () => {
  it('finds nothing wrong with a whole role', () => {
    const role = {
      name: 'judge',
      canDo: ['set-space'],
      canBe: ['birth'],
      see: ['neighbors'],
      prompt: 'Rule.',
    }
    expect(lintRole(role, { known })).toEqual({ errors: [], warnings: [] })
  })

  it('names every field with a fault, not only the first', () => {
    const { errors } = lintRole({
      name: 'Judge',
      canSee: 'all',
      canDo: [{ rel: 1 }],
      colour: 'red',
      prompt: 3,
    })
    expect(errors.map(({ path }) => path).sort()).toEqual(['canDo[0]', 'canSee', 'colour', 'name', 'prompt'])
  })

  it('refuses what only an extension may bring', () => {
    const { errors } = lintRole({ name: 'court:judge', prompt: { function: 'court@1.0.0' } })
    expect(errors.map(({ path }) => path)).toEqual(['name', 'prompt'])
  })

  it('warns of names that nothing brings', () => {
    const role = {
      name: 'judge',
      canDo: ['set-spase', { pattern: 'court:*' }],
      canBe: ['born'],
      see: ['dreams'],
    }
    expect(lintRole(role, { known }).warnings.map(({ path }) => path)).toEqual([
      'canDo[0]',
      'canBe[0]',
      'see[0]',
    ])
    expect(lintRole(role).warnings).toEqual([])
  })

  it('warns of a role that must call a tool and reaches nobody when no being wakes it', () => {
    const role = {
      name: 'guard',
      canSee: ['/gate'],
      canSummon: [{ rel: 'asker' }],
      triggerOn: ['message', 'schedule', 'change'],
      forceToolCall: true,
      prompt: 'Watch the gate.',
    }
    const pathsOf = (more: object) => lintRole({ ...role, ...more }).warnings.map(({ path }) => path)
    expect(lintRole(role).warnings).toEqual([
      { path: 'triggerOn', message: expect.stringMatching(/^a wake by schedule or change has no asker/) },
    ])
    expect(pathsOf({ canSummon: [] })).toContain('triggerOn')
    for (const more of [
      { canSummon: [{ rel: 'asker' }, '@clerk'] },
      { canDo: ['set-space'], selfContinue: false },
      { triggerOn: ['message'] },
      { forceToolCall: false },
    ])
      expect(pathsOf(more), JSON.stringify(more)).not.toContain('triggerOn')
  })

  it('warns of relations, resolvers and kinds of patterns that nothing expands, and says what there is', () => {
    const tokens = { rel: ['asker', 'parent'], resolver: [], kind: ['court:seats'] }
    const role = {
      name: 'judge',
      canSee: [{ resolver: 'court:bench' }, { pattern: 'row 3', kind: 'court:seats' }, { pattern: '*' }],
      canSummon: [{ rel: 'asker' }, { rel: 'boss' }, { pattern: 'row 3', kind: 'x' }],
    }
    expect(lintRole(role, { known: { ...known, tokens } }).warnings).toEqual([
      { path: 'canSee[0]', message: 'no resolver "court:bench" is known here; there is none' },
      { path: 'canSummon[1]', message: 'no relation "boss" is known here; there is asker, parent' },
      { path: 'canSummon[2]', message: 'no kind of pattern "x" is known here; there is court:seats' },
    ])
  })

  it('says what a name in a list of addresses is read as, where its author may mean something else', () => {
    const tokens = { rel: ['parent'], resolver: [], kind: [] }
    const role = {
      name: 'worker',
      canSee: ['station', '/hall', '~'],
      canSummon: ['supervisor', 'parent', '/hall'],
    }
    expect(lintRole(role, { known: { ...known, tokens } }).warnings).toEqual([
      {
        path: 'canSee[0]',
        message: expect.stringMatching(/^"station" is the space \/station; for a being write @station/),
      },
      {
        path: 'canSummon[1]',
        message: '"parent" is the being @parent; for the relation write {"rel": "parent"}',
      },
      {
        path: 'canSummon[2]',
        message: expect.stringMatching(/^"\/hall" is not a stance, so it allows nothing/),
      },
    ])
  })

  it('warns of prose that is an answer and cannot be sent', () => {
    const spoken = { name: 'guide', prose: 'answers' }
    const pathsOf = (role: object) => lintRole(role).warnings.map(({ path }) => path)
    expect(pathsOf(spoken)).toEqual(['prose'])
    expect(pathsOf({ ...spoken, canSummon: ['@ann'], respondMode: 'none' })).toEqual(['prose'])
    expect(pathsOf({ ...spoken, canSummon: [{ rel: 'asker' }] })).toEqual([])
  })

  it('warns of tools in a role that is spoken to and stops after one act, unless it says so', () => {
    const hands = { name: 'hands', canDo: ['set-space'], canSummon: [{ rel: 'asker' }] }
    const pathsOf = (more: object) => lintRole({ ...hands, ...more }).warnings.map(({ path }) => path)
    expect(pathsOf({})).toEqual(['selfContinue'])
    expect(pathsOf({ canDo: [], canBe: ['birth'], canSummon: [{ pattern: '*' }] })).toEqual(['selfContinue'])
    for (const heard of [
      { selfContinue: 'until-answered' },
      { selfContinue: true },
      { selfContinue: false },
      { canDo: [] },
      { canSummon: ['@ann', { rel: 'parent' }] },
      { triggerOn: ['schedule'] },
      { respondMode: 'none' },
      { requiredCognition: 'human' },
    ])
      expect(pathsOf(heard), JSON.stringify(heard)).toEqual([])
  })

  it.each<[string, object, string[]]>([
    ['looks', { canSee: ['~'], steps: 40 }, []],
    ['goes on', { selfContinue: 'until-answered', steps: 1 }, []],
    ['only speaks', { steps: 40 }, ['steps']],
    ['may look and has none', { canSee: ['~'], steps: 0 }, ['steps']],
    ['goes on and does not say', { selfContinue: true }, []],
  ])('warns of steps without use: of a role that %s', (_, more, paths) => {
    expect(lintRole({ name: 'scout', ...more }).warnings.map(({ path }) => path)).toEqual(paths)
  })

  it.each([[null], ['judge'], [[]], [{}], [{ name: 'a', x: undefined }]])(
    '%j is told, not thrown',
    (role) => {
      expect(lintRole(role).errors.length).toBeGreaterThan(0)
    },
  )

  it.each<[string, object, string[]]>([
    ['names whom it asks alone', {}, ['canSummon']],
    ['also reaches whoever asks', { canSummon: ['@billing', { rel: 'asker' }] }, []],
    ['may reach whoever asks by a pattern', { canSummon: [{ pattern: '@*' }] }, []],
    ['announces', { selfContinue: true }, []],
    ['asks, though it goes on by itself', { selfContinue: true, onAnswers: 'all' }, ['canSummon']],
    ['answers nobody', { respondMode: 'none', onAnswers: 'each' }, ['onAnswers']],
    ['is not woken by messages', { triggerOn: ['schedule'] }, []],
  ])('warns of a role that asks others and cannot answer: one that %s', (_, more, paths) => {
    const { warnings } = lintRole({ name: 'desk', canSummon: ['@billing'], ...more })
    expect(warnings.map(({ path }) => path)).toEqual(paths)
  })
})
