import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { temporaryFolders } from '../../test/instances.ts'
import { acquireLock, LockedError } from './lock.ts'

const folder = temporaryFolders()

it('a lock has one holder, and is free after its release', async () => {
  const path = join(folder(), 'lock')
  const lock = await acquireLock(path)
  await expect(acquireLock(path)).rejects.toThrow(LockedError)
  await expect(acquireLock(path, { waitMs: 60 })).rejects.toThrow(`held by process ${process.pid}`)
  lock.release()
  expect(existsSync(path)).toBe(false)
  const again = await acquireLock(path)
  again.release()
})

it('a killed holder does not block', async () => {
  const path = join(folder(), 'lock')
  const script = `import { acquireLock } from ${JSON.stringify(join(import.meta.dirname, 'lock.ts'))}
    await acquireLock(${JSON.stringify(path)}); console.log('held'); setInterval(() => {}, 1e6)`
  const holder = spawn(process.execPath, ['--input-type=module-typescript', '-e', script])
  await once(holder.stdout, 'data')
  await expect(acquireLock(path)).rejects.toThrow(`held by process ${holder.pid}`)
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  const lock = await acquireLock(path)
  lock.release()
})

it('a lock of a pid that is another process by now does not block', async () => {
  const path = join(folder(), 'lock')
  writeFileSync(path, JSON.stringify({ pid: process.pid, startedAt: 'before the reboot' }))
  const lock = await acquireLock(path)
  lock.release()
})

it('many who want a stale lock get it one after the other', async () => {
  const dir = folder()
  const path = join(dir, 'lock')
  writeFileSync(path, 'not a lock')
  let holders = 0
  const most: number[] = []
  const one = async () => {
    const lock = await acquireLock(path, { waitMs: 20_000 })
    most.push(++holders)
    await sleep(5)
    holders--
    lock.release()
  }
  await Promise.all(Array.from({ length: 20 }, one))
  expect(most).toEqual(Array.from({ length: 20 }, () => 1))
  expect(readdirSync(dir)).toEqual([])
})
