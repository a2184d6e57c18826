import { expect, it, vi } from 'vitest'
import { useModelServer } from '../support/use-world.ts'
import { useInstance } from './instance.ts'
import { done, fact, UUID } from './shapes.ts'

vi.setConfig({ testTimeout: 180_000 })

const model = useModelServer()
const home = useInstance({ modelServer: model })

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
