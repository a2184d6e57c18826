import { dataFlag, unappliedSettings, up } from '@treeos/local'
import type { Extension } from '@treeos/world'
import { examineMinds } from '../../health/minds.ts'
import { readStatus } from '../../health/status.ts'
import { keepDemo, loadKeptDemo, plantDemo } from '../../instance/demo.ts'
import { programs } from '../../instance/programs.ts'
import { describeReady } from '../../show/ready.ts'
import { describeStatus } from '../../show/status.ts'
import type { ExitStatus, Output } from '../../text/output.ts'
import { programName } from '../../text/program-name.ts'

interface BringUpOptions {
  readonly detach: boolean
  readonly portal: boolean
  /** whose scene is planted once a worker runs */
  readonly demo: Extension | null
}

/** Brings an instance up, and shows what runs. */
export async function bringUp(
  dataDir: string,
  { detach, portal, demo }: BringUpOptions,
  out: Output,
): Promise<ExitStatus> {
  const plant = async () => {
    if (demo !== null) await plantDemo(dataDir, demo, out)
  }
  const isNewDemo = demo !== null && (await keepDemo(dataDir, demo.name))
  const isThere = await up({
    ...{ dataDir, programs, detach, portal },
    onProgress: (line) => out.progress(line),
    during: (work) => out.spinning(work),
    onStarted: plant,
    onReady: ({ isNew }) => showReady(dataDir, { isNew, detach }, out),
    async onFound() {
      const unapplied = unappliedSettings(dataDir, await programs.sharedSettings(dataDir, process.env))
      if (unapplied.length > 0) out.progress(tellUnapplied(unapplied, dataDir))
      if (isNewDemo) await loadKeptDemo(dataDir, demo.name, out)
      await plant()
      await showFound(dataDir, out)
    },
  })
  return isThere ? 0 : 1
}

const tellUnapplied = (names: readonly string[], dataDir: string): string =>
  `not applied: ${names.join(', ')} differ from what this instance was started with; \`treeos down${dataFlag(dataDir)}\`, then \`treeos up${dataFlag(dataDir)}\` applies them`

async function showFound(dataDir: string, out: Output): Promise<void> {
  const status = await readStatus(dataDir)
  await tellFirstLink(dataDir, status.portal.url, out)
  if (status.mind !== null) await tellMindFaults(dataDir, out)
  out.value(
    status,
    () =>
      `TreeOS is already running here; \`${programName()} down${dataFlag(dataDir)}\` stops it.\n${describeStatus(status, dataDir)}`,
  )
}

async function showReady(
  dataDir: string,
  { isNew, detach }: { isNew: boolean; detach: boolean },
  out: Output,
): Promise<void> {
  const status = await readStatus(dataDir)
  await tellFirstLink(dataDir, status.portal.url, out)
  if (status.mind !== null) await tellMindFaults(dataDir, out)
  out.value(status, () => describeReady(status, { dataDir, isNew, detach, flag: dataFlag(dataDir) }))
}

/**
 * What is wrong with a model would show in the first moment only. Each is asked for its list of models, which
 * costs nothing.
 */
async function tellMindFaults(dataDir: string, out: Output): Promise<void> {
  for (const { ok, name, found, mend } of await examineMinds(dataDir, process.env))
    if (!ok) out.progress(`${name}: ${found}. ${mend ?? ''}`)
}

/**
 * Until the operator has signed in once, each start makes a link to do so. It is a secret, so it is not part
 * of the status, and it is shown on a terminal alone: what else reads this may keep it, as a log does.
 */
async function tellFirstLink(dataDir: string, portalUrl: string | null, out: Output): Promise<void> {
  if (portalUrl === null) return
  const { firstLink, needsFirstLink } = await import('../../instance/portal-link.ts')
  if (!process.stderr.isTTY) {
    if (await needsFirstLink(dataDir))
      out.progress(`\`treeos link${dataFlag(dataDir)}\` prints a link to sign in to the portal as @operator`)
    return
  }
  const { OWN_LINK_MINUTES } = await import('@treeos/portal')
  const link = await firstLink(dataDir, portalUrl)
  if (link !== null)
    out.progress(
      `sign in to the portal as @operator, once and within ${OWN_LINK_MINUTES} minutes: ${link}\n` +
        `\`treeos link${dataFlag(dataDir)}\` prints another one`,
    )
}
