import { describe, expect, it, vi } from 'vitest'
import { useModelServer } from '../support/use-world.ts'
import { useInstance, useJsonFiles } from './instance.ts'
import { done, fact, UUID } from './shapes.ts'

vi.setConfig({ testTimeout: 180_000 })

const model = useModelServer()
const home = useInstance({ modelServer: model })
const file = useJsonFiles()

interface Entry {
  readonly correlation: string
  readonly times?: number
  readonly notice?: true
}
const NO_KEY = { status: 401, body: { error: { message: 'no such key' } } }

it('gather asks several beings and shows who answered; it ends with 1 when fewer did than were needed', async () => {
  await home.json(['birth', 'mute', '--cognition', 'scripted', '--script', 'silent'])
  const asking = ['gather', 'ping', '@echo', '@mute', '--wait', '60']
  const { status, stdout } = await home.run([...asking, '--need', '1', '--json'])
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    complete: true,
    replies: [{ from: '@echo', correlation: expect.stringMatching(UUID), content: 'ping' }],
  })
  const all = await home.run(asking)
  expect(all.status).toBe(1)
  expect(all.stdout.split('\n')).toEqual(
    expect.arrayContaining(['@echo: ping', '@mute gave no answer: see', 'fewer answered than were needed']),
  )
  expect((await home.run(['gather', 'ping'])).status).toBe(2)
})

it('do seals what an operation of an extension seals, so that the record has no text in clear', async () => {
  const told = await home.json<{ result: { note: string } }>([
    ...['do', '@operator', 'memory:remember', '--args', '{"text": "The code is 4711."}'],
  ])
  expect(told.result.note).toMatch(/^matter:note-[0-9a-f]{32}$/)
})

it('budget shows limits and use, and sets the budget of one being or of all without one', async () => {
  expect(await home.json(['budget', '@librarian'])).toMatchObject({
    being: 'librarian',
    stance: '@librarian',
    standard: true,
    limits: { momentsPerMinute: 30, births: 32, tokens: 1_000_000, per: 'day' },
    used: { tokens: 0, money: 0, moments: 0, births: 0 },
    held: { tokens: 0, money: 0 },
  })
  const own = { momentsPerMinute: 60, tokens: 200_000, per: 'day' }
  expect(await home.json(['budget', 'set', '@librarian', JSON.stringify(own)])).toEqual(
    done([fact('being:budgeted', 'being:librarian')]),
  )
  expect(await home.json(['budget', '@librarian'])).toMatchObject({ limits: own })
  expect(await home.json(['budget', 'release', '@librarian'])).toEqual(
    done([fact('being:unparked', 'being:librarian'), fact('being:budgeted', 'being:librarian')]),
  )
  expect(await home.json(['budget', '@librarian'])).toMatchObject({ limits: own })
  expect(await home.json(['budget', 'set', '/', '{"tokens": 5000000}'])).toEqual(
    done([fact('quality:set', 'space:/')]),
  )
  expect(await home.json(['budget'])).toMatchObject([
    { being: null, for: 'llm', limits: { tokens: 5_000_000, per: 'day' } },
    { being: null, for: 'scripted', limits: { momentsPerMinute: 600 } },
    { being: 'librarian', limits: own },
  ])
  expect((await home.run(['budget', '@librarian'])).stdout).toMatch(/^@librarian +0 of 60 +0 of 200000 /m)
  expect(await home.refusal(['budget', '@nobody'])).toMatchObject({ status: 1, code: 'BEING_NOT_FOUND' })
  expect(await home.refusal(['budget', 'set', '@librarian', '{"coins": 1}'])).toMatchObject({
    status: 1,
    code: 'INVALID_INPUT',
  })
})

it('inbox read and dismiss close entries, and equal notices are one entry', async () => {
  model.script([NO_KEY, NO_KEY])
  for (let i = 0; i < 2; i++)
    expect((await home.run(['summon', '@librarian', 'hello', '--wait', '60'])).status).toBe(1)
  const notices = async () => (await home.json<Entry[]>(['inbox'])).filter(({ notice }) => notice === true)
  const told = await notices()
  expect(told).toMatchObject([{ from: null, times: 2, content: { actor: '@librarian', code: 'LLM_FAILED' } }])
  expect((await home.run(['inbox'])).stdout).toContain('background, 2 times')
  expect(await home.json(['inbox', 'read', told[0]!.correlation])).toEqual({ closed: 1 })
  expect(await notices()).toEqual([])
  expect(await home.json(['inbox', 'dismiss', '--all-notices'])).toEqual({ closed: 0 })
  expect((await home.run(['inbox', 'read'])).status).toBe(2)
  expect(await home.refusal(['inbox', 'read', 'nothing'])).toMatchObject({
    status: 1,
    code: 'CORRELATION_NOT_FOUND',
  })
})

describe('namespaces of signals', () => {
  it('are owned by who publishes first, granted, revoked and listed', async () => {
    await home.json(['birth', 'ann', '--cognition', 'human'])
    await home.json(['signal', 'set', 'school.bell', 'true'])
    const granted = { namespace: 'school', being: '@ann', owner: '@operator' }
    expect(await home.json(['signal', 'grant', 'school', '@ann'])).toEqual({
      ...done([fact('signal:granted', 'world:school')]),
      result: granted,
    })
    const school = { namespace: 'school', owner: '@operator', publishers: ['@ann'], reserved: false }
    expect(await home.json(['signal', 'owners', 'school'])).toEqual([school])
    expect(await home.json(['signal', 'owners'])).toContainEqual({
      namespace: 'emotions',
      owner: '@operator',
      publishers: [],
      reserved: true,
    })
    expect((await home.run(['signal', 'owners', 'school'])).stdout).toMatch(
      /^school +@operator.*granted to @ann\n$/,
    )
    expect((await home.run(['signal', 'owners', 'nobodys'])).stdout).toContain('nobody: the first being')
    expect(await home.refusal(['signal', 'grant', 'school', '@ann'])).toMatchObject({
      status: 1,
      code: 'RESOURCE_CONFLICT',
      message: '@ann may publish in school already',
    })
    expect(await home.json(['signal', 'revoke', 'school', '@ann'])).toMatchObject({ result: granted })
    expect(await home.refusal(['signal', 'revoke', 'school', '@ann'])).toMatchObject({
      code: 'RESOURCE_CONFLICT',
      message: 'school is not granted to @ann; it is granted to nobody',
    })
    expect(await home.refusal(['signal', 'owners', 'a.b'])).toMatchObject({ code: 'INVALID_INPUT' })
  })
})

describe('stored overlays', () => {
  it('are set, listed and deleted; the tiers call and thread are refused', async () => {
    const text = file('tone.txt', 'Answer in verse.') // JSON is text too
    const set = {
      tier: 'workspace',
      name: 'tone',
      content: '"Answer in verse."',
      setBy: '@operator',
      inForce: true,
    }
    expect(await home.json(['overlay', 'set', 'workspace', 'tone', text])).toMatchObject(set)
    expect(
      await home.json(['overlay', 'set', 'channel', 'red', text, '--signature', 'moment']),
    ).toMatchObject({
      tier: 'channel',
      name: 'red',
      scope: 'red',
      appliesTo: ['moment'],
    })
    expect(await home.json(['overlay', 'list'])).toMatchObject([{ tier: 'channel' }, set])
    expect((await home.run(['overlay', 'list'])).stdout).toMatch(
      /workspace +- +tone +in force +by @operator +"Answer/,
    )
    for (const tier of ['call', 'thread'])
      expect(await home.refusal(['overlay', 'set', tier, 'tone', text])).toMatchObject({
        status: 1,
        code: 'INVALID_INPUT',
        message: expect.stringContaining('is never stored'),
      })
    expect(await home.json(['overlay', 'delete', 'workspace', 'tone'])).toEqual({
      tier: 'workspace',
      name: 'tone',
      deleted: true,
    })
    expect(await home.json(['overlay', 'delete', 'channel', 'red'])).toMatchObject({ deleted: true })
    expect(await home.json(['overlay', 'list'])).toEqual([])
    expect(await home.refusal(['overlay', 'delete', 'workspace', 'tone'])).toMatchObject({ status: 1 })
  })
})

describe('a birth', () => {
  it('tells the role, and how a child is configured from inside', async () => {
    const { stdout, stderr } = await home.run(['birth', 'ben', '--cognition', 'scripted', '--script', 'echo'])
    expect(stdout).toBe('@ben was born, a child of @operator, with the role citizen\n')
    expect(stderr).toContain('treeos inhabit @ben')
    expect(await home.json(['birth', 'cora', '--cognition', 'llm', '--role', 'resident'])).toEqual({
      being: 'cora',
      stance: '@cora',
      parent: '@operator',
      cognition: 'llm',
      role: 'resident',
    })
  })

  it('refuses a script that does not exist with a list of those that do', async () => {
    const args = ['birth', 'dud', '--cognition', 'scripted', '--script', 'ecko']
    expect(await home.refusal(args)).toMatchObject({
      status: 1,
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/^birth: script is "ecko"; it takes one of .*echo/),
    })
  })
})

describe('the end of a being', () => {
  it('is an act of its maker; it is listed as ended, and nobody speaks to it', async () => {
    expect(await home.json(['end', '@ben'])).toEqual({
      ...done([fact('being:ended', 'being:ben'), fact('space:left', 'space:/')]),
      result: { being: '@ben', ended: true },
    })
    expect(await home.refusal(['end', '@ben'])).toMatchObject({ status: 1, code: 'BEING_ENDED' })
    expect(await home.refusal(['summon', '@ben', 'hello?'])).toMatchObject({ status: 1, code: 'BEING_ENDED' })
    expect(await home.refusal(['end', '@operator'])).toMatchObject({ status: 1, code: 'FORBIDDEN' })
    expect(await home.json(['beings'])).toContainEqual(
      expect.objectContaining({ being: 'ben', ended: expect.any(String) }),
    )
    expect((await home.run(['see', '@ben'])).stdout).toMatch(/ended +\d{4}-/)
  })
})
