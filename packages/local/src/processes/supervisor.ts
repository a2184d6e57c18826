import { statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { forgetService, isRunning, LocalError, recordService, spawnDetached, tail } from '@treeos/local'
import { claim, isKeptUp } from './claim.ts'
import { onEnding } from './ending.ts'
import { ourselves, UP } from './instance.ts'
import { allBut, type StoppedService, stopServices, stopUnrecorded } from './stop.ts'
import { isThere, keepAlive } from './supervise.ts'

const READY_MS = 60_000
const POLL_MS = 25

/** Where the supervisor of a detached instance writes what it does. */
const supervisorLog = (dataDir: string): string => join(dataDir, 'up.log')

/**
 * Starts the process that supervises a detached instance, and waits until it does.
 * @param giveUp releases the claim that this process holds, which the supervisor waits for
 * @throws {LocalError} with the end of its log
 */
export async function startSupervisor(dataDir: string, giveUp: () => Promise<void>): Promise<void> {
  const logFile = supervisorLog(dataDir)
  const from = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0
  const program = join(import.meta.dirname, `../main${extname(import.meta.filename)}`)
  const started = await spawnDetached({
    command: process.execPath,
    args: [program, 'up', '--supervise', '--data', dataDir],
    logFile,
  })
  await giveUp()
  for (const until = Date.now() + READY_MS; Date.now() < until; await sleep(POLL_MS)) {
    const isOver = !isRunning(started)
    if (isKeptUp(dataDir)) return // by ours, or by another that was faster
    if (isOver) break
  }
  const what = isRunning(started) ? `is not ready within ${READY_MS / 1000} s` : 'ended while starting'
  throw new LocalError(`the supervisor ${what}. The end of ${logFile}:\n${tail(logFile, { from })}`)
}

/**
 * Supervises an instance that was started detached, as a foreground `treeos up` does: it holds the claim, starts again
 * what ends, and stops everything when a signal asks it to.
 */
export async function supervise(dataDir: string, onProgress: (line: string) => void): Promise<void> {
  const ending = onEnding({ watch: false })
  const tell = (line: string) => onProgress(`${new Date().toISOString()} ${line}`)
  const held = await Promise.race([claim(dataDir, tell), ending.promise])
  if (held === null || typeof held === 'string') return ending.release()
  const self = ourselves()
  try {
    await recordService(dataDir, { name: UP, process: self, address: '', detail: { state: 'ready' } })
    tell(`process ${self.pid} supervises this instance`)
    const supervision = keepAlive({ dataDir, onProgress: tell })
    const why = await Promise.race([ending.promise, supervision.deleted])
    await supervision.stop()
    const onStopped = ({ name, end }: StoppedService) => tell(`${name} ${end}`)
    if (typeof why !== 'string') return await stopUnrecorded(why, onStopped)
    tell(`${why}: stopping everything`)
    await stopServices(dataDir, allBut(new Set()), onStopped)
  } finally {
    if (isThere(dataDir)) await forgetService(dataDir, UP, self)
    held.release()
    ending.release()
  }
}
