import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolders } from '../../test/instances.ts'
import { isRunning, type Process, spawnDetached, terminate } from '../machine/process.ts'
import * as instances from './instance.ts'
import { runningService } from './services.ts'
import { stopInstance } from './stop.ts'

const folder = temporaryFolders()
const sleeper = (dir: string) => spawnDetached({ command: 'sleep', args: ['60'], logFile: join(dir, 'log') })

it.each([
  { data: 'here', env: { TREEOS_DATA: '/there' }, dir: '/cwd/here' },
  { data: undefined, env: { TREEOS_DATA: '/there' }, dir: '/there' },
  { data: undefined, env: {}, dir: '/cwd/.treeos' },
])('--data $data and $env name the folder $dir', ({ dir, ...given }) => {
  expect(instances.instanceDir({ ...given, cwd: '/cwd' })).toBe(dir)
})

describe('the record of services', () => {
  it('is empty before the first start', () => {
    expect(instances.readInstance(folder())).toEqual({ version: 1, services: [], ports: {} })
  })

  it('keeps the order of starts, one entry a name, and ports beyond the end of a service', async () => {
    const dir = folder()
    const [one, two] = [await sleeper(dir), await sleeper(dir)]
    await instances.recordService(dir, { name: 'a', process: one, address: 'a' }, { a: 1 })
    await instances.recordService(dir, { name: 'b', process: two, address: 'b' })
    await instances.recordService(dir, { name: 'a', process: one, address: 'adopted' })
    expect(instances.readInstance(dir).services.map(({ name, address }) => [name, address])).toEqual([
      ['a', 'adopted'],
      ['b', 'b'],
    ])
    await instances.forgetService(dir, 'a', two) // recorded under that name is another process
    expect(runningService(dir, 'a')).not.toBeNull()
    await instances.forgetService(dir, 'a', one)
    expect(runningService(dir, 'a')).toBeNull()
    expect(instances.readInstance(dir).ports).toEqual({ a: 1 })
  })

  it('loses nothing when many write at once', async () => {
    const dir = folder()
    const names = Array.from({ length: 10 }, (_, index) => `worker-${index}`)
    await Promise.all(names.map((name) => instances.recordService(dir, { name, process: null, address: '' })))
    const recorded = instances.readInstance(dir).services.map(({ name }) => name)
    expect(recorded.sort()).toEqual(names)
    expect(statSync(join(dir, 'instance.json')).mode & 0o777).toBe(0o600)
  })

  it('numbers those that come at once, and takes the number of one that has ended', async () => {
    const dir = folder()
    const all = await Promise.all([sleeper(dir), sleeper(dir), sleeper(dir)])
    const add = (process: Process) => instances.recordNumbered(dir, 'worker-', { process, address: '' })
    expect((await Promise.all(all.map(add))).sort()).toEqual(['worker-1', 'worker-2', 'worker-3'])
    await terminate(instances.readInstance(dir).services[1]!.process!)
    const another = await sleeper(dir)
    expect(await add(another)).toBe(instances.readInstance(dir).services.at(-1)?.name)
    expect(instances.readInstance(dir).services).toHaveLength(3)
    expect(instances.readInstance(dir).services.at(-1)?.process).toEqual(another)
    await stopInstance(dir)
  })

  it('that cannot be read is named, not overwritten', async () => {
    const dir = folder()
    const file = join(dir, 'instance.json')
    writeFileSync(file, '{"version":')
    expect(() => instances.readInstance(dir)).toThrow(`${file} is not readable`)
    await expect(instances.forgetService(dir, 'a')).rejects.toThrow(file)
    expect(readFileSync(file, 'utf8')).toBe('{"version":')
    writeFileSync(file, '{"version":1,"services":[],"ports":{}}')
  })
})

describe('stopping', () => {
  it('ends what was recorded, the servers last, and nothing else', async () => {
    const dir = folder()
    const [first, second, stranger] = [await sleeper(dir), await sleeper(dir), await sleeper(dir)]
    await instances.recordService(dir, { name: 'temporal', process: first, address: '' })
    await instances.recordService(dir, { name: 'postgres', process: null, address: 'cloud' })
    await instances.recordService(dir, { name: 'worker-1', process: second, address: '' })
    const recycled = { pid: stranger.pid, startedAt: 'before the reboot' }
    await instances.recordService(dir, { name: 'worker-2', process: recycled, address: '' })
    expect(await stopInstance(dir)).toEqual([
      { name: 'worker-2', pid: stranger.pid, end: 'gone' },
      { name: 'worker-1', pid: second.pid, end: 'stopped' },
      { name: 'temporal', pid: first.pid, end: 'stopped' },
    ])
    expect([first, second, stranger].map(isRunning)).toEqual([false, false, true])
    expect(instances.readInstance(dir).services).toEqual([])
    await terminate(stranger)
  })

  it('an instance that never ran stops nothing', async () => {
    expect(await stopInstance(folder())).toEqual([])
  })
})

describe('the lock of an instance', () => {
  it('names who holds it, and does not outlive a killed holder', async () => {
    const dir = folder()
    const script = `import { lockInstance } from ${JSON.stringify(join(import.meta.dirname, 'instance.ts'))}
      await lockInstance(${JSON.stringify(dir)}); console.log('held'); setInterval(() => {}, 1e6)`
    const holder = spawn(process.execPath, ['--input-type=module-typescript', '-e', script])
    await once(holder.stdout, 'data')
    await expect(instances.lockInstance(dir)).rejects.toThrow(instances.InstanceBusyError)
    await expect(instances.lockInstance(dir)).rejects.toMatchObject({ pid: holder.pid })
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    const lock = await instances.lockInstance(dir)
    lock.release()
  })

  it('does not reach another instance', async () => {
    const locks = [await instances.lockInstance(folder()), await instances.lockInstance(folder())]
    for (const lock of locks) lock.release()
  })
})
