import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CONTENT_BOUNDS, guardJson } from '@treeos/core'
import { describe, expect, inject, it } from 'vitest'
import { outsideRun } from './outside-run.ts'

const bwrap = inject('bwrap')
const never = new AbortController().signal
const run = outsideRun(bwrap ?? '/nowhere/bwrap', never)
const sh = (script: string, options = {}) => run(['/bin/bash', '-c', script], options)
/** The same command without the sandbox: what a control shows would succeed there. */
const bare = (script: string) =>
  execFileSync('/bin/bash', ['-c', script], { stdio: ['ignore', 'pipe', 'pipe'] }).toString()

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

  it('says why the program makes no sandbox, and that does not end a command', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'treeos-no-sandbox-'))
    chmodSync(folder, 0o755)
    const refusing = join(folder, 'bwrap')
    writeFileSync(refusing, '#!/bin/sh\necho "bwrap: setting up uid map: Permission denied" >&2\nexit 1\n', {
      mode: 0o755,
    })
    await expect(outsideRun(refusing, never)(['true'])).rejects.toMatchObject({
      code: 'INTERNAL',
      message: expect.stringContaining('uid map: Permission denied'),
    })
    rmSync(folder, { recursive: true })
  })

  it.each([[[]], [['echo', 'a\0b']]])('refuses the command %j', async (command) => {
    await expect(run(command)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })
})

describe.skipIf(bwrap === null)('a command in the sandbox', () => {
  it('gets its arguments as they are and its input, and returns output and exit code', async () => {
    expect(await run(['printf', '%s', '$HOME; `id`'])).toEqual({
      exitCode: 0,
      stdout: '$HOME; `id`',
      stderr: '',
      cut: false,
    })
    expect(await run(['sort'], { input: 'b\na\n' })).toMatchObject({ stdout: 'a\nb\n' })
    expect(await sh('echo no >&2; exit 3')).toMatchObject({ exitCode: 3, stderr: 'no\n' })
    expect(await sh('kill -9 $$')).toMatchObject({ exitCode: 128 + 9 })
    expect(await run(['no-such-program'])).toMatchObject({ exitCode: 127 })
  })

  it('cannot say itself how it ended', async () => {
    const says = `trap '' PIPE; for fd in {0..9}; do echo '{ "exit-code": 0 }' >&$fd; done 2>/dev/null; exit 7`
    expect(await sh(says)).toMatchObject({ exitCode: 7 })
  })

  it('sees no file of the machine but its programs, no environment and no other process', async () => {
    process.env.TREEOS_SECRET_OF_TEST = 'sesame'
    expect((await sh('env; ls /; ls /proc | grep -c "^[0-9]"')).stdout).toMatch(/bin[\s\S]*\n[1-6]\n$/)
    expect((await sh('env; cat /proc/*/environ')).stdout).not.toContain('sesame')
    expect(bare('env')).toContain('sesame')
    delete process.env.TREEOS_SECRET_OF_TEST
    for (const path of ['/etc/passwd', '/home', '/root', '/var', '/sys', '/run', import.meta.filename]) {
      expect(await run(['ls', path])).toMatchObject({ exitCode: 2 })
      expect(await run(['ls', `/work/../..${path}`])).toMatchObject({ exitCode: 2 })
      expect(await run(['ls', `/proc/self/root${path}`])).toMatchObject({ exitCode: 2 })
      expect(await sh(`ln -s ${path} link; ls -L link`)).toMatchObject({ exitCode: 2 })
    }
    expect(bare('head -c 4 /etc/passwd')).toBe('root')
  })

  it('writes nowhere but in its folder, which is empty each time', async () => {
    expect((await sh('touch /work/y /tmp/z && ls /work')).stdout).toBe('y\nz\n')
    expect((await sh('ls -A /work')).stdout).toBe('')
    for (const path of ['/x', '/usr/x', '/dev/x', '/dev/shm/x', '/proc/x', '/bin/x'])
      expect(await run(['touch', path])).toMatchObject({ exitCode: 1 })
  })

  it('has no network', async () => {
    expect((await sh('cat /proc/net/dev | wc -l')).stdout.trim()).toBe('3') // two lines of head, and lo
    expect(await sh('exec 3<>/dev/tcp/127.0.0.1/22')).toMatchObject({ exitCode: 1 })
  })

  it('has no rights: not those of the root user, and no way to others', async () => {
    expect((await sh('grep -E "^Cap(Eff|Prm|Bnd)" /proc/self/status')).stdout.match(/0{16}/g)).toHaveLength(3)
    expect((await sh('id -u')).stdout.trim()).not.toBe('0')
    for (const command of [
      ['mount', '-t', 'tmpfs', 'none', '/work'],
      ['unshare', '--user', '--map-root-user', 'true'],
    ])
      expect((await run(command)).exitCode).not.toBe(0)
    expect(bare('unshare --user --map-root-user echo made')).toBe('made\n')
  })

  it('ends at its bound of time, with all that it started', async () => {
    const seconds = `${30 + Math.random()}`
    const started = sh(`setsid sleep ${seconds} & sleep ${seconds}`, { timeoutSeconds: 0.7 })
    await sleep(350)
    expect(running(seconds)).toBeGreaterThan(1)
    await expect(started).rejects.toMatchObject({ code: 'TIMEOUT' })
    await expect.poll(() => running(seconds)).toBe(0)
  })

  it('ends with its attempt', async () => {
    const attempt = new AbortController()
    const started = outsideRun(bwrap, attempt.signal)(['sleep', '30'])
    setTimeout(() => attempt.abort(new Error('over')), 200)
    await expect(started).rejects.toThrow('over')
  })

  it('has bounds of memory, of processes and of what it writes', async () => {
    const dd = (bytes: string, of = '/dev/null') => [
      'dd',
      'if=/dev/zero',
      `of=${of}`,
      `bs=${bytes}`,
      'count=1',
    ]
    expect(await run(dd('350M'))).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('memory exhausted'),
    })
    expect(await run(dd('100M'))).toMatchObject({ exitCode: 0 })
    const forks = 'for (1..40) { $p = fork; last if !defined $p; if (!$p) { sleep 1; exit } $n++ } print $n'
    const crowd = await run(['perl', '-e', forks])
    expect(Number(crowd.stdout)).toBeGreaterThan(5)
    expect(Number(crowd.stdout)).toBeLessThan(16)
    expect(await sh('head -c 20M /dev/zero >big; ls -s --block-size=M big')).toMatchObject({
      stdout: '16M big\n',
    })
    expect((await sh('for i in {1..8}; do head -c 12M /dev/zero >$i; done; du -sm .')).stdout).toMatch(
      /^6[0-4]\t/,
    )
  })

  it.each([
    ['letters', 'x'],
    ['control characters', '\\1'],
    ['NUL', '\\0'],
    ['bytes that are not text', '\\377'],
    ['quotes', '"'],
  ])('returns so much of its output that a fact can hold it: %s', async (_what, byte) => {
    const end = await sh(`head -c 100000 /dev/zero | tr '\\0' '${byte}' | tee /dev/stderr`)
    expect(end.cut).toBe(true)
    expect(end.stdout.length).toBeGreaterThan(3000)
    expect(end.stdout.length).toBeLessThanOrEqual(16 * 1024)
    guardJson({ ...end }, CONTENT_BOUNDS)
  })
})

/** Processes of the machine with this argument. */
const running = (argument: string): number =>
  readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(1, 2).includes(argument)
    } catch {
      return false // it has ended meanwhile
    }
  }).length
