import { setTimeout as sleep } from 'node:timers/promises'
import { forgetService, readInstance, recordService } from '@treeos/local'
import type { Extension } from '@treeos/world'
import { describeStatus, readStatus } from '../../health/status.ts'
import { claim } from '../../instance/claim.ts'
import { plantDemo } from '../../instance/demo.ts'
import { type Ending, onEnding } from '../../instance/ending.ts'
import { dataFlag, ourselves, serviceOf, UP } from '../../instance/instance.ts'
import { unappliedSettings } from '../../instance/settings.ts'
import { type Running, startEverything } from '../../instance/start.ts'
import { allBut, keyOf, runningKeys, stopServices, stopUnrecorded } from '../../instance/stop.ts'
import { isThere, keepAlive, missingOf } from '../../instance/supervise.ts'
import { startSupervisor } from '../../instance/supervisor.ts'
import type { ExitStatus, Output } from '../../text/output.ts'

export interface UpOptions {
  readonly dataDir: string
  readonly detach: boolean
  /** starts the portal too */
  readonly portal: boolean
  /** whose scene is planted once a worker runs */
  readonly demo: Extension | null
  readonly out: Output
}

const POLL_MS = 250
/** How long a second `treeos up` waits for the first to start again what ended. */
const MEND_MS = 90_000

/**
 * Brings an instance up. In the foreground it stays until a signal, and then stops what it started. Detached it returns
 * when everything is ready, and leaves a supervisor behind.
 */
export async function up({ dataDir, detach, portal, demo, out }: UpOptions): Promise<ExitStatus> {
  const onProgress = (line: string) => out.progress(line)
  const held = await claim(dataDir, onProgress)
  if (held === null) return alreadyRunning(dataDir, demo, out)
  const kept = keptBy(dataDir)
  const self = ourselves()
  const record = (state: string) =>
    recordService(dataDir, { name: UP, process: self, address: '', detail: { state } })
  const giveUp = async () => {
    if (isThere(dataDir)) await forgetService(dataDir, UP, self)
    held.release()
  }
  await record('starting')
  const ending = onEnding({ watch: true })
  try {
    const running = await out.spinning(() =>
      Promise.race([startEverything({ dataDir, portal, onProgress }), ending.promise]),
    )
    if (isEnding(running)) return await interrupted(dataDir, kept, running, out)
    const startedNothing =
      kept.size > 0 && [...runningKeys(dataDir)].every((key) => kept.has(key) || key === keyOf(self))
    if (startedNothing) {
      await startSupervisor(dataDir, giveUp) // everything runs, but nothing looks after it
      return await alreadyRunning(dataDir, demo, out)
    }
    if (demo !== null) await plantDemo(dataDir, demo, out)
    if (detach) await startSupervisor(dataDir, giveUp)
    await summarize(dataDir, out, { running, detach })
    if (detach) return 0
    await record('ready')
    const supervision = keepAlive({ dataDir, onProgress })
    const why = await Promise.race([ending.promise, supervision.deleted])
    await supervision.stop()
    if (!isEnding(why)) {
      await stopUnrecorded(why.filter(allBut(kept)), ({ name, end }) => onProgress(`${name} ${end}`))
      return 1
    }
    await shutDown(dataDir, kept, why, out)
    return 0
  } catch (error) {
    await stopServices(dataDir, allBut(kept))
    throw error
  } finally {
    ending.release()
    await giveUp()
  }
}

/**
 * Keys of what runs and is not ours to stop: nothing looks after it, yet no record says that its keeper was killed. What a
 * killed `treeos up` or supervisor left behind is ours to stop.
 */
function keptBy(dataDir: string): Set<string> {
  const former = serviceOf(readInstance(dataDir), UP)
  return former === null ? runningKeys(dataDir) : new Set()
}

async function alreadyRunning(dataDir: string, demo: Extension | null, out: Output): Promise<ExitStatus> {
  await untilMended(dataDir, out)
  const unapplied = await unappliedSettings(dataDir, process.env)
  if (unapplied.length > 0) out.progress(tellUnapplied(unapplied, dataDir))
  if (demo !== null) await plantDemo(dataDir, demo, out)
  const status = await readStatus(dataDir)
  await tellFirstLink(dataDir, status.portal.url, out)
  out.value(
    status,
    () => `TreeOS is already running here; \`treeos down\` stops it.\n${describeStatus(status, dataDir)}`,
  )
  return 0
}

const tellUnapplied = (names: readonly string[], dataDir: string): string =>
  `not applied: ${names.join(', ')} differ from what this instance was started with; \`treeos down${dataFlag(dataDir)}\`, then \`treeos up\` applies them`

/** What has just ended is started again by whoever keeps the instance up: waits for that. */
async function untilMended(dataDir: string, out: Output): Promise<void> {
  let told = ''
  for (const until = Date.now() + MEND_MS; Date.now() < until; await sleep(POLL_MS)) {
    const missing = missingOf(dataDir).join(' and ')
    if (missing === '') return
    if (missing !== told) out.progress(`waiting for ${missing} to be started again`)
    told = missing
  }
}

const isEnding = (value: unknown): value is Ending => typeof value === 'string'

async function shutDown(dataDir: string, kept: Set<string>, why: Ending, out: Output): Promise<void> {
  const reason = why === 'orphaned' ? 'the program that started this has ended' : why
  out.progress(`${reason}: stopping what was started; the data stay in ${dataDir}`)
  await stopServices(dataDir, allBut(kept), ({ name, end }) => out.progress(`${name} ${end}`))
}

/** The start goes on until this process ends, so what it starts meanwhile is stopped too. */
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
  await tellFirstLink(dataDir, status.portal.url, out)
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
      lines.push(`      npx treeos summon @librarian "What is this place?" --wait 120${others}`)
    lines.push(detach ? `Stop  npx treeos down${others}` : 'Stop  Ctrl-C')
    return lines.join('\n')
  })
}

/** Until the operator has signed in once, each start makes a link to do so. It is a secret, so it is not part of the status. */
async function tellFirstLink(dataDir: string, portalUrl: string | null, out: Output): Promise<void> {
  if (portalUrl === null) return
  const { firstLink } = await import('../../instance/portal.ts')
  const link = await firstLink(dataDir, portalUrl)
  if (link !== null) out.progress(`sign in to the portal as @operator, once and within a day: ${link}`)
}

const NO_MIND = [
  'No model is connected. Scripted beings and people work without one. To connect one: stop, set OPENAI_API_KEY (or',
  'OPENAI_BASE_URL for any compatible endpoint) and TREEOS_MODEL, or start Ollama, then start again.',
]
