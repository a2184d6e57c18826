import { describe, expect, it } from 'vitest'
import { isAlive, until, useInstance } from './instance.ts'

const home = useInstance()

/** The next moment must work after a refusal. */
async function expectNextMomentWorks(): Promise<void> {
  const { reply } = await home.json<{ reply: unknown }>(['summon', '@echo', 'still there?', '--wait', '30'])
  expect(reply).toEqual({ from: '@echo', content: 'still there?' })
}

const tooLong = 'x'.repeat(2_000_000)

describe('bad input is refused with its code, and the next moment of the same being works', () => {
  it.each([
    {
      what: 'a name that is taken',
      args: ['birth', 'echo', '--cognition', 'human'],
      code: 'RESOURCE_CONFLICT',
      says: '"echo"',
    },
    {
      what: 'an ill-formed name',
      args: ['birth', 'Echo_1', '--cognition', 'human'],
      code: 'INVALID_INPUT',
      says: '"Echo_1"',
    },
    {
      what: 'an unknown script',
      args: ['birth', 'a', '--cognition', 'scripted'],
      code: 'INVALID_INPUT',
      says: 'script',
    },
    {
      what: 'an unknown role',
      args: ['birth', 'a', '--cognition', 'human', '--role', 'none'],
      code: 'ROLE_UNAVAILABLE',
      says: '"none"',
    },
    {
      what: 'an unknown stance',
      args: ['summon', '@nobody', 'hi', '--wait', '5'],
      code: 'BEING_NOT_FOUND',
      says: '@nobody',
    },
    {
      what: 'a malformed address',
      args: ['see', 'no way'],
      status: 2,
      code: 'ADDRESS_PARSE_ERROR',
      says: 'no way',
    },
    {
      what: 'an unknown action',
      args: ['do', '/', 'explode'],
      code: 'ACTION_NOT_SUPPORTED',
      says: '"explode"',
    },
    { what: 'an unknown operation', args: ['be', 'reborn'], code: 'ACTION_NOT_SUPPORTED', says: '"reborn"' },
    {
      what: 'an unknown argument',
      args: ['do', '/library', 'move', '--args', '{"fast":true}'],
      code: 'INVALID_INPUT',
      says: '"fast"',
    },
    {
      what: 'a stance one may not act as',
      args: ['move', '/library', '--as', '@echo'],
      code: 'FORBIDDEN',
      says: '@echo',
    },
    {
      what: 'a stance that is nobody',
      args: ['move', '/library', '--as', '@nobody'],
      code: 'BEING_NOT_FOUND',
      says: '@nobody',
    },
    { what: 'an empty summon', args: ['summon', '@echo', ''], code: 'INVALID_INPUT', says: 'content' },
    {
      what: 'malformed JSON',
      args: ['signal', 'set', 'a.b', '{"c":}'],
      status: 2,
      code: 'INVALID_INPUT',
      says: 'column 6',
    },
    {
      what: 'a key that reaches a prototype',
      args: ['space', 'set', '/', '__proto__.x', '1'],
      code: 'INVALID_INPUT',
      says: '__proto__',
    },
    {
      what: 'a flow that reads __proto__',
      args: ['flow', 'set', '@echo', '-'],
      input: '[{"role":"resident","when":{"__proto__.x":1}}]',
      code: 'INVALID_INPUT',
      says: '__proto__',
    },
    {
      what: 'a flow with an unknown operator',
      args: ['flow', 'set', '@echo', '-'],
      input: '[{"role":"resident","when":{"time.hour":{"above":5}}}]',
      code: 'INVALID_INPUT',
      says: '[0].when["time.hour"].above',
    },
    {
      what: 'a role without a name',
      args: ['role', 'set', '-'],
      input: '{"prompt":"x"}',
      code: 'INVALID_INPUT',
      says: 'name',
    },
    {
      what: '2 MB in a summon',
      args: ['summon', '@echo', '-'],
      input: tooLong,
      code: 'PAYLOAD_TOO_LARGE',
      says: '2000002 bytes',
    },
    {
      what: 'a NUL in a summon',
      args: ['summon', '@echo', '-'],
      input: 'a\0b',
      code: 'INVALID_INPUT',
      says: 'NUL',
    },
    {
      what: 'a lone surrogate in a signal',
      args: ['signal', 'set', 'a.b', '"\\udfff"'],
      status: 2,
      code: 'INVALID_INPUT',
      says: 'lone surrogate',
    },
  ])('$what', async ({ args, input, status = 1, code, says }) => {
    const refusal = await home.refusal(args, input === undefined ? {} : { input })
    expect(refusal).toMatchObject({ status, code })
    expect(refusal.message).toContain(says)
    await expectNextMomentWorks()
  })

  it('bytes that are not UTF-8', async () => {
    const child = home.start(['summon', '@echo', '-', '--json'])
    let stdout = ''
    child.stdout?.on('data', (text) => (stdout += text))
    child.stdin?.end(Buffer.from([0x61, 0xed, 0xa0, 0x80]))
    const status = await new Promise((resolve) => child.once('close', resolve))
    expect({ status, ...JSON.parse(stdout) }).toMatchObject({ status: 1, error: { code: 'INVALID_INPUT' } })
    await expectNextMomentWorks()
  })
})

describe('a service that is down is named with its address, and up mends it', () => {
  it.each([
    {
      service: 'postgres',
      title: 'Postgres',
      asks: [['beings'], ['summon', '@echo', 'hi'], ['moments', '@echo']],
    },
    {
      service: 'temporal',
      title: 'Temporal',
      asks: [
        ['summon', '@echo', 'hi'],
        ['do', '/', 'move'],
      ],
    },
  ])(
    '$title',
    async ({ service, title, asks }) => {
      await home.loseSupervisor()
      const pid = home.pidOf(service)
      const address = home.state.services.find(({ name }) => name === service)?.address ?? ''
      process.kill(pid, 'SIGKILL')
      await until(`the end of ${title}`, () => !isAlive(pid))
      for (const args of asks) {
        const refusal = await home.refusal(args)
        expect(refusal).toMatchObject({ status: 1, code: 'SERVICE_UNAVAILABLE' })
        expect(refusal.message).toContain(`${title} at ${address}`)
        expect(refusal.message).toContain('treeos up')
      }
      expect((await home.run(['up', '--detach'])).status).toBe(0)
      await expectNextMomentWorks()
    },
    120_000,
  )

  it.each([
    {
      env: { DATABASE_URL: 'postgres://someone:secret@127.0.0.1:1/nothing' },
      says: 'Postgres at 127.0.0.1:1/nothing',
    },
    { env: { TEMPORAL_ADDRESS: '127.0.0.1:1' }, says: 'Temporal at 127.0.0.1:1' },
  ])('as is one the environment names ($says), without its secrets', async ({ env, says }) => {
    const refusal = await home.refusal(['summon', '@echo', 'hi'], { env })
    expect(refusal).toMatchObject({ status: 1, code: 'SERVICE_UNAVAILABLE' })
    expect(refusal.message).toContain(says)
    expect(refusal.message).not.toContain('secret')
  })
})
