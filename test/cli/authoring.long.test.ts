import { beforeAll, describe, expect, it } from 'vitest'
import { useModelServer } from '../support/use-world.ts'
import { until, useInstance, useJsonFiles } from './instance.ts'
import { done, fact, HEX } from './shapes.ts'

const model = useModelServer()
const home = useInstance({ modelServer: model })
const file = useJsonFiles()

interface Answered {
  readonly moment: { readonly outcome: string }
  readonly reply: { readonly from: string; readonly content: Record<string, unknown> }
}
const ask = async (request: object) => {
  const args = ['summon', '@role-manager', JSON.stringify(request), '--wait', '30']
  return (await home.json<Answered>(args)).reply.content
}

describe('authoring a living reality', () => {
  it('a role that @role-manager wrote is worn next, and after everything was stopped and started again', async () => {
    const role = { name: 'poet', canSummon: [{ rel: 'asker' }], prompt: 'You rhyme.' }
    expect(await ask({ do: 'set-role', role })).toMatchObject({ ok: true, result: { name: 'poet' } })
    const flow = file('poet.json', [{ role: 'poet' }])
    await home.json(['birth', 'bard', '--cognition', 'llm', '--role', 'resident', '--flow', flow])
    await home.json(['summon', '@bard', 'one', '--wait', '30'])
    expect((await home.run(['down'])).status).toBe(0)
    expect((await home.run(['up', '--detach', '--no-portal'])).status).toBe(0)
    const { moment } = await home.json<Answered>(['summon', '@bard', 'two', '--wait', '60'])
    expect(moment).toMatchObject({ n: 2, outcome: 'act', primary: 'poet' })
    expect(await home.json(['role', 'show', 'poet'])).toMatchObject({
      ...role,
      origin: 'live',
      usedBy: ['@bard'],
      permissions: ['summon'],
      respondMode: 'async',
      triggerOn: ['message'],
    })
  }, 180_000) // a whole restart

  it('a role in use is deleted by force only, and its users are named', async () => {
    expect(await home.refusal(['role', 'delete', 'poet'])).toMatchObject({
      status: 1,
      code: 'RESOURCE_CONFLICT',
      message: expect.stringContaining('@bard'),
    })
    expect(await ask({ do: 'delete-role', name: 'poet' })).toMatchObject({
      ok: false,
      error: { code: 'RESOURCE_CONFLICT', detail: { users: ['@bard'] } },
    })
    expect(await home.refusal(['role', 'delete', 'resident', '--force'])).toMatchObject({ code: 'FORBIDDEN' })
    expect(await home.json(['role', 'delete', 'poet', '--force'])).toMatchObject({ result: { name: 'poet' } })
  })

  it('see @role-manager shows what there is to choose from', async () => {
    const { catalogs } = await home.json<{ catalogs: Record<string, { name: string }[]> }>([
      'see',
      '@role-manager',
    ])
    expect(Object.keys(catalogs).sort()).toEqual(['addresses', 'beOps', 'operations', 'roles'])
    expect(catalogs.roles?.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['emotions:bored', 'resident']),
    )
    expect(catalogs.operations?.map(({ name }) => name)).toContain('set-role')
    expect(catalogs.addresses).toEqual(expect.arrayContaining(['@bard', '/library']))
  })

  it('flow lint ends with 1 for a flow that would be refused, flow set prints the warnings', async () => {
    const { status, stdout } = await home.run([
      'flow',
      'lint',
      file('bad.json', [{ role: 'resident', when: { wether: 1 } }]),
      '--json',
    ])
    expect(status).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ errors: [{ path: expect.stringContaining('[0].when') }] })
    const shadowed = file('shadowed.json', [{ role: 'resident' }, { role: 'librarian' }])
    expect(await home.json(['flow', 'set', '@bard', shadowed])).toMatchObject({
      result: { clauses: 2, warnings: [{ path: '[1]' }] },
    })
  })
})

describe('whatif', () => {
  it('prints a line for each moment that would be another, nothing for the same flow, and asks no mind', async () => {
    await home.json(['summon', '@bard', 'three', '--wait', '30'])
    const asked = model.requests.length
    const whatIf = async (flow: unknown, ...more: string[]) => {
      const ran = await home.run(['whatif', '@bard', '--flow', '-', '--json', ...more], {
        input: JSON.stringify(flow),
      })
      expect(ran.status, ran.stderr).toBe(0)
      return ran.stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
    }
    const differences = await whatIf([{ role: 'delegate' }])
    expect(differences.map(({ n, would }) => [n, would.primary])).toEqual([
      [1, 'delegate'],
      [2, 'delegate'],
      [3, 'delegate'],
    ])
    expect(differences[0]).toEqual({
      n: 1,
      openedAt: expect.stringMatching(/Z$/),
      differs: ['stack', 'prompt'],
      was: { primary: 'poet', stacked: [] },
      would: { primary: 'delegate', stacked: [] },
      refused: null,
    })
    expect(await whatIf([{ role: 'resident' }, { role: 'librarian' }], '--since', '3')).toEqual([])
    expect(await whatIf([{ role: 'poet' }], '--since', '3')).toEqual([])
    expect(model.requests.length).toBe(asked)
    const bad = home.refusal(['whatif', '@bard', '--flow', '-'], { input: '[{"role":"a b"}]' })
    expect(await bad).toMatchObject({ status: 1, code: 'INVALID_INPUT' })
    expect(await home.refusal(['whatif', '@nobody', '--flow', '-'], { input: '[]' })).toMatchObject({
      code: 'BEING_NOT_FOUND',
    })
  })
})

describe('bounds in the log', () => {
  it('a model that never falls silent is stopped, and the worker’s log says so', async () => {
    const role = { name: 'restless', canDo: ['set-being'], selfContinue: true, prompt: '' }
    await home.json(['role', 'set', '-'], { input: JSON.stringify(role) })
    const flow = file('restless.json', [{ role: 'restless' }])
    await home.json(['birth', 'chatter', '--cognition', 'llm', '--flow', flow])
    let value = 0
    const call = () => ({ operation: 'set-being', args: { field: 'note.last', value: value++ } })
    model.script(() => ({ tool: { name: 'do', args: call() } }))
    await home.json(['summon', '@chatter', 'go'])
    await until('the line', () => home.log('worker-1.log').includes('steps-spent'))
    type Moment = { n: number; reason?: string }
    const { stdout } = await home.run(['moments', '@chatter', '--json'])
    const lived = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Moment)
    expect(lived.at(-1)).toMatchObject({ outcome: 'act', reason: 'steps-spent' })
    expect(await home.json(['inbox'])).toContainEqual(
      expect.objectContaining({ content: expect.objectContaining({ event: 'steps-spent' }) }),
    )
  }, 120_000)
})

describe('signals, spaces, roles and flows', () => {
  beforeAll(async () => {
    await home.json(['birth', 'kid', '--cognition', 'scripted', '--script', 'echo', '--role', 'resident'])
  })

  it('signals are nested by their keys', async () => {
    expect(await home.json(['signal', 'set', 'harmony.tick.alive', 'true'])).toEqual({
      ...done([fact('signal:published', 'world:harmony')]),
      result: { namespace: 'harmony', key: 'tick.alive', value: true },
    })
    await home.json(['signal', 'set', 'harmony.count', '-1'])
    await home.json(['signal', 'set', 'court.in-session', '{"judge":"@echo"}'])
    expect(await home.json(['signal', 'get'])).toEqual({
      harmony: { tick: { alive: true }, count: -1 },
      court: { 'in-session': { judge: '@echo' } },
    })
    expect(await home.json(['signal', 'get', 'harmony'])).toEqual({ tick: { alive: true }, count: -1 })
    expect(await home.json(['signal', 'get', 'harmony.tick.alive'])).toBe(true)
    expect(await home.json(['signal', 'get', 'harmony.nothing'])).toBeNull()
    expect(await home.json(['signal', 'get', 'nobody'])).toBeNull()
  })

  it('spaces are created, set and moved into', async () => {
    expect(await home.json(['space', 'create', '/library/nook', '--type', 'nook'])).toMatchObject({
      result: { path: '/library/nook' },
    })
    expect(await home.json(['space', 'set', '/library/nook', 'ambient.tone', '"quiet"'])).toEqual(
      done([fact('quality:set', 'space:/library/nook')]),
    )
    expect(await home.json(['move', '/library/nook'])).toMatchObject({
      result: { from: '/', to: '/library/nook' },
    })
    expect(await home.json(['see', '/library/nook'])).toMatchObject({
      beings: ['@operator'],
      type: 'nook',
      qualities: { ambient: { tone: 'quiet' } },
    })
    await home.json([
      'do',
      '/library/nook',
      'create-matter',
      '--args',
      '{"id": "rock", "content": {"text": "warm"}}',
    ])
    expect((await home.run(['see', '/library/nook'])).stdout).toMatch(
      /beings +@operator\nthings +matter:rock\nspaces +-\nowner +@operator\nqualities\n\{\n +"ambient"/,
    )
    expect((await home.run(['see', 'matter:rock'])).stdout).toMatch(/content\n\{\n +"text": "warm"/)
    await home.json(['move', '/'])
  })

  it('roles are written, shown with who could wear them, and deleted', async () => {
    const role = { name: 'guide', prompt: 'Guide.', canSummon: [{ rel: 'asker' }] }
    expect(await home.json(['role', 'set', '-'], { input: JSON.stringify(role) })).toEqual(
      done([fact('role:set', 'registry')]),
    )
    await home.json(['flow', 'set', '@kid', file('guide.json', [{ role: 'guide' }])])
    const shown = { ...role, origin: 'live', digest: expect.stringMatching(HEX), usedBy: ['@kid'] }
    expect(await home.json(['role', 'show', 'guide'])).toMatchObject(shown)
    const listed = await home.json<{ name: string }[]>(['role', 'list'])
    expect(listed.find(({ name }) => name === 'guide')).toMatchObject(shown)
    await home.json(['flow', 'set', '@kid', file('none.json', [])])
    await home.json(['role', 'delete', 'guide'])
    expect(await home.refusal(['role', 'show', 'guide'])).toMatchObject({
      status: 1,
      code: 'ROLE_UNAVAILABLE',
    })
  })

  it('flows are set, read and checked against the roles there are', async () => {
    const clauses = [
      { role: 'resident', when: { 'world.harmony.tick.alive': true } },
      { role: 'librarian', stack: true },
    ]
    const flow = file('flow.json', clauses)
    expect(await home.json(['flow', 'set', '@kid', flow])).toEqual(done([fact('quality:set', 'being:kid')]))
    expect(await home.json(['flow', 'get', '@kid'])).toEqual(clauses)
    expect(await home.json(['flow', 'lint', flow])).toEqual({ errors: [], warnings: [] })
    const unknown = file('unknown.json', [{ role: 'unheard-of' }])
    const linted = await home.run(['flow', 'lint', unknown, '--json'])
    const refused = await home.run(['flow', 'set', '@kid', unknown, '--json'])
    const says = 'role "unheard-of" is not registered'
    expect(JSON.parse(linted.stdout)).toEqual({
      errors: [{ path: '[0].role', message: says }],
      warnings: [],
    })
    expect(JSON.parse(refused.stdout).error).toMatchObject({
      code: 'ROLE_UNAVAILABLE',
      message: `${says}; \`npx treeos role list\` shows what is`,
    })
    expect([linted.status, refused.status]).toEqual([1, 1])
  })
})
