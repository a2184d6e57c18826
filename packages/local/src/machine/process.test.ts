import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { temporaryFolders } from '../../test/instances.ts'
import { freePort } from './ports.ts'
import { isRunning, logSize, processStart, spawnDetached, tail, terminate, thisProcess } from './process.ts'

const folder = temporaryFolders()
const node = process.execPath

describe('a process', () => {
  it('runs while it lives under the start time it had', () => {
    expect(isRunning(thisProcess())).toBe(true)
    expect(isRunning({ pid: process.pid, startedAt: 'another time' })).toBe(false)
  })

  it('is gone once it ended, also before anyone waited for it', async () => {
    const child = spawn(node, ['-e', ''])
    const pid = child.pid as number
    await once(child, 'exit')
    expect(processStart(pid)).toBeNull()
  })

  it.runIf(process.platform === 'linux')(
    'is gone only when its ports are free, also with many threads',
    async () => {
      const script = `import { createServer } from 'node:net'
      import { Worker } from 'node:worker_threads'
      const wait = 'const kept = Buffer.alloc(20e6, 1); setInterval(() => kept, 1e6)'
      await Promise.all(Array.from({ length: 12 }, () => new Promise((up) => new Worker(wait, { eval: true }).on('online', up))))
      createServer().listen(Number(process.argv[1]), '127.0.0.1', () => console.log('listens'))`
      for (let killed = 0; killed < 6; killed++) {
        const [port, logFile] = [await freePort('a test'), join(folder(), 'log')]
        const args = ['--input-type=module', '-e', script, String(port)]
        const started = await spawnDetached({ command: node, args, logFile })
        while (!tail(logFile).includes('listens')) await sleep(20)
        process.kill(started.pid, 'SIGKILL')
        while (isRunning(started)); // without a pause: the time between is short
        expect(await freePort('a test', { preferred: port })).toBe(port)
      }
    },
  )

  it('ends by SIGTERM', async () => {
    const started = await spawnDetached({ command: 'sleep', args: ['60'], logFile: join(folder(), 'log') })
    expect(await terminate(started)).toBe('stopped')
    expect(await terminate(started)).toBe('gone')
  })

  it('is killed when it does not end within its grace', async () => {
    const logFile = join(folder(), 'log')
    const script = "process.on('SIGTERM', () => {}); console.log('deaf'); setInterval(() => {}, 1e6)"
    const started = await spawnDetached({ command: node, args: ['-e', script], logFile })
    while (!tail(logFile).includes('deaf')) await sleep(20)
    expect(await terminate(started, { graceMs: 100 })).toBe('killed')
    expect(isRunning(started)).toBe(false)
  })

  it('is left alone when its pid was recorded with another start time', async () => {
    const other = await spawnDetached({ command: 'sleep', args: ['60'], logFile: join(folder(), 'log') })
    expect(await terminate({ pid: other.pid, startedAt: 'before the reboot' })).toBe('gone')
    expect(isRunning(other)).toBe(true)
    await terminate(other)
  })

  it('outlives the one that spawned it', async () => {
    const dir = folder()
    const script = `import { spawnDetached } from ${JSON.stringify(join(import.meta.dirname, 'process.ts'))}
      console.log(JSON.stringify(await spawnDetached({ command: 'sleep', args: ['60'], logFile: '${dir}/log' })))`
    const printed = execFileSync(node, ['--input-type=module-typescript', '-e', script], { encoding: 'utf8' })
    const started = JSON.parse(printed)
    expect(isRunning(started)).toBe(true)
    await terminate(started)
  })

  it('that cannot be started is named', async () => {
    const spawned = spawnDetached({ command: '/no/such/program', args: [], logFile: join(folder(), 'log') })
    await expect(spawned).rejects.toThrow('cannot start /no/such/program')
  })
})

it('the tail of a log can begin where an earlier process ended', async () => {
  const logFile = join(folder(), 'log')
  const print = (text: string) => spawnDetached({ command: 'echo', args: [text], logFile })
  expect(tail(logFile)).toBe('')
  await print('first')
  while (logSize(logFile) === 0) await sleep(10)
  const from = logSize(logFile)
  await print('second')
  while (logSize(logFile) === from) await sleep(10)
  expect(tail(logFile, { from })).toBe('second')
  expect(readFileSync(logFile, 'utf8')).toBe('first\nsecond\n')
})
