import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { outsideRun } from './outside-run.ts'

const BWRAP = '/usr/bin/bwrap'
const never = new AbortController().signal
const run = outsideRun(BWRAP, never)
const sh = (script: string, options = {}) => run(['/bin/bash', '-c', script], options)

describe('a worker without a sandbox', () => {
  it('runs no command, and says how to turn commands on', async () => {
    await expect(outsideRun(null, never)(['true'])).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('TREEOS_SANDBOX=/usr/bin/bwrap'),
    })
  })

  it('names a program that cannot be run', async () => {
    await expect(outsideRun('/nowhere/bwrap', never)(['true'])).rejects.toMatchObject({
      code: 'INTERNAL',
      message: expect.stringContaining('/nowhere/bwrap'),
    })
  })

  it.each([[[]], [['echo', 'a\0b']]])('refuses the command %j', async (command) => {
    await expect(run(command)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })
})

// Where the machine has no bubblewrap, these cannot run.
describe.skipIf(!existsSync(BWRAP))('a command in the sandbox', () => {
  it('gets its arguments as they are and its input, and returns output and exit code', async () => {
    expect(await run(['printf', '%s', '$HOME; `id`'])).toEqual({
      exitCode: 0,
      stdout: '$HOME; `id`',
      stderr: '',
      cut: false,
    })
    expect(await run(['sort'], { input: 'b\na\n' })).toMatchObject({ stdout: 'a\nb\n' })
    expect(await sh('echo no >&2; exit 3')).toMatchObject({ exitCode: 3, stderr: 'no\n' })
  })

  it('sees no file of the machine but its programs, no environment and no other process', async () => {
    process.env.TREEOS_SECRET_OF_TEST = 'sesame'
    expect((await sh('env; ls /; ls /proc | grep -c "^[0-9]"')).stdout).toMatch(/bin[\s\S]*\n[1-6]\n$/)
    expect((await sh('env')).stdout).not.toContain('sesame')
    delete process.env.TREEOS_SECRET_OF_TEST
    for (const path of ['/etc/passwd', '/home', '/root', '/var', import.meta.filename])
      expect(await run(['ls', path])).toMatchObject({ exitCode: 2 })
    expect((await sh('touch /usr/x; touch /work/y && ls /work')).stdout).toBe('y\n')
    expect((await sh('ls /work')).stdout).toBe('')
  })

  it('has no network', async () => {
    expect((await sh('cat /proc/net/dev | wc -l')).stdout.trim()).toBe('3') // two lines of head, and lo
    expect(await sh('exec 3<>/dev/tcp/127.0.0.1/22')).toMatchObject({ exitCode: 1 })
  })

  it('ends at its bounds of time, memory and output', async () => {
    await expect(sh('sleep 30', { timeoutSeconds: 0.5 })).rejects.toMatchObject({ code: 'TIMEOUT' })
    const big = await run(['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=700M', 'count=1'])
    expect(big).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('memory exhausted') })
    const { stdout, cut } = await sh('head -c 100000 /dev/zero | tr "\\0" x')
    expect([stdout.length, cut]).toEqual([16 * 1024, true])
  })

  it('a control: without the sandbox the same command reads the file of the machine', async () => {
    const { execFileSync } = await import('node:child_process')
    expect(execFileSync('/bin/bash', ['-c', 'head -c 4 /etc/passwd']).toString()).toBe('root')
  })
})
