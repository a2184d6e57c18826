import { setTimeout as sleep } from 'node:timers/promises'
import { forgetService, InstanceBusyError, lockInstance, readInstance, recordService } from '@treeos/local'
import type { Extension } from '@treeos/world'
import { describeStatus, readStatus } from '../health/status.ts'
import { plantDemo } from '../instance/demo.ts'
import { dataFlag, ourselves, serviceOf, UP } from '../instance/instance.ts'
import { watchLaunchers } from '../instance/launcher.ts'
import { type Running, startEverything } from '../instance/start.ts'
import { allBut, keyOf, runningKeys, stopServices } from '../instance/stop.ts'
import { keepAlive } from '../instance/supervise.ts'
import type { ExitStatus, Output } from '../text/output.ts'

export interface UpOptions {
  readonly dataDir: string
  readonly detach: boolean
  /** whose scene is planted once a worker runs */
  readonly demo: Extension | null
  readonly out: Output
}

/** Why a run ends: a signal, or the end of whoever launched us. */
type Ending = NodeJS.Signals | 'orphaned'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const POLL_MS = 250

/**
 * Brings an instance up. In the foreground it stays until a signal, and then stops what it started; detached it returns
 * when everything is ready.
 */
export async function up({ dataDir, detach, demo, out }: UpOptions): Promise<ExitStatus> {
  const lock = await claim(dataDir, out)
  if (lock === null) return alreadyRunning(dataDir, demo, out)
  const kept = keptBy(dataDir)
  const self = ourselves()
  const record = (state: string) =>
    recordService(dataDir, { name: UP, process: self, address: '', detail: { state } })
  await record('starting')
  const ending = onEnding()
  try {
    const onProgress = (line: string) => out.progress(line)
    const running = await Promise.race([startEverything({ dataDir, onProgress }), ending.promise])
    if (isEnding(running)) return await interrupted(dataDir, kept, running, out)
    const startedNothing =
      kept.size > 0 && [...runningKeys(dataDir)].every((key) => kept.has(key) || key === keyOf(self))
    if (startedNothing) return await alreadyRunning(dataDir, demo, out)
    if (demo !== null) await plantDemo(dataDir, demo, out)
    await summarize(dataDir, out, { running, detach })
    if (detach) return 0
    await record('ready')
    const supervision = keepAlive({ dataDir, onProgress })
    const why = await ending.promise
    await supervision.stop()
    await shutDown(dataDir, kept, why, out)
    return 0
  } catch (error) {
    await stopServices(dataDir, allBut(kept))
    throw error
  } finally {
    ending.release()
    await forgetService(dataDir, UP, self)
    lock.release()
  }
}

/** @returns null when another process keeps the instance up, once it is ready */
async function claim(dataDir: string, out: Output) {
  for (let told = false; ; told = true) {
    try {
      return await lockInstance(dataDir)
    } catch (error) {
      if (!(error instanceof InstanceBusyError)) throw error
      if (serviceOf(readInstance(dataDir), UP)?.detail?.state === 'ready') return null
      if (!told) out.progress(`process ${error.pid} is starting this instance`)
      await sleep(POLL_MS)
    }
  }
}

/**
 * What runs and is not ours to stop: an instance that was started detached. What a killed start left behind is ours
 * now, as it has nobody else.
 */
function keptBy(dataDir: string): Set<string> {
  const former = serviceOf(readInstance(dataDir), UP)
  return former === null ? runningKeys(dataDir) : new Set()
}

async function alreadyRunning(dataDir: string, demo: Extension | null, out: Output): Promise<ExitStatus> {
  if (demo !== null) await plantDemo(dataDir, demo, out)
  const status = await readStatus(dataDir)
  out.value(
    status,
    () => `TreeOS is already running here; \`treeos down\` stops it.\n${describeStatus(status, dataDir)}`,
  )
  return 0
}

function onEnding() {
  let end: (why: Ending) => void = () => undefined
  const promise = new Promise<Ending>((resolve) => {
    end = resolve
  })
  // One press of Ctrl-C may reach us twice, from the terminal and from pnpm: the first ends the run, others are nothing.
  const onSignal = (signal: NodeJS.Signals) => end(signal)
  for (const signal of SIGNALS) process.on(signal, onSignal)
  const unwatch = watchLaunchers(() => end('orphaned'))
  const release = () => {
    unwatch()
    for (const signal of SIGNALS) process.off(signal, onSignal)
  }
  return { promise, release }
}

const isEnding = (value: Running | Ending): value is Ending => typeof value === 'string'

async function shutDown(dataDir: string, kept: Set<string>, why: Ending, out: Output): Promise<void> {
  const reason = why === 'orphaned' ? 'whoever started this has ended' : why
  out.progress(`${reason}: stopping what was started; what lives here stays in ${dataDir}`)
  await stopServices(dataDir, allBut(kept), ({ name, end }) => out.progress(`${name} ${end}`))
}

/** A start that is under way goes on until the process ends, so what it starts meanwhile is stopped as well. */
async function interrupted(dataDir: string, kept: Set<string>, why: Ending, out: Output): Promise<never> {
  await shutDown(dataDir, kept, why, out)
  await sleep(POLL_MS)
  await stopServices(dataDir, allBut(kept))
  await forgetService(dataDir, UP)
  process.exit(why === 'SIGINT' ? 130 : 143)
}

async function summarize(
  dataDir: string,
  out: Output,
  { running, detach }: { running: Running; detach: boolean },
): Promise<void> {
  const status = await readStatus(dataDir)
  const others = dataFlag(dataDir)
  out.value(status, () => {
    const lines = [
      `TreeOS is up${running.isNew ? ', with a new reality' : ''}.`,
      describeStatus(status, dataDir),
      '',
    ]
    if (status.mind === null) lines.push(...NO_MIND, '')
    lines.push(`Try   npx treeos summon @echo "hello" --wait 20${others}`)
    if (status.mind !== null)
      lines.push(
        `      npx treeos summon @librarian "What is this place?" --wait 120${others}`,
      )
    lines.push(detach ? `Stop  npx treeos down${others}` : 'Stop  Ctrl-C')
    return lines.join('\n')
  })
}

const NO_MIND = [
  'No mind is connected: scripted beings and people live all the same. To connect one, stop, set OPENAI_API_KEY (or',
  'OPENAI_BASE_URL for any compatible endpoint) and TREEOS_MODEL, or start Ollama, and start again.',
]
