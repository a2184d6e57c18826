import { type BeingName, stanceOf } from '@treeos/core'
import type { ActingOptions, Cli } from '../cli.ts'
import type { LiveConnection } from '../instance/connection.ts'
import { type Client, withServices } from '../instance/with-instance.ts'
import { callPortal } from '../login/call-portal.ts'
import type { Login } from '../login/stored-login.ts'
import { requireStance } from '../text/input.ts'
import type { ExitStatus, Output } from '../text/output.ts'

/** What is printed when the lease is taken, and when it is over. */
type LeaseLine =
  | { readonly event: 'inhabited'; readonly being: string; readonly driver: string; readonly epoch: number }
  | { readonly event: 'released'; readonly being: string; readonly why: 'released' | 'lost' }

/** `treeos inhabit`: holds a lease from a terminal. */
export function addInhabit(cli: Cli): void {
  cli
    .asBeing('inhabit <stance>', 'act as a descendant until standard input closes or Ctrl-C')
    .option('--own', 'use the permissions of that being alone, without those of --as')
    .action(
      cli.run(
        async (out, stance: string, options: ActingOptions & { own?: boolean }): Promise<ExitStatus> => {
          const as = requireStance(options.as)
          const being = requireStance(stance, as)
          const tell = (line: LeaseLine) => out.value(line, shownLine)
          const { untilEnding } = await import('@treeos/local')
          const ending = Promise.race([untilEnding(), untilInputEnds()]).then(() => 'released' as const)
          if (options.login !== undefined)
            return driveByApi(out, options.login, { being, own: options.own ?? false, tell, ending }).finally(
              () => process.stdin.destroy(),
            )
          const hold = async (at: LiveConnection, { inhabit }: Client): Promise<ExitStatus> => {
            const held = await inhabit(at, { being, as, own: options.own ?? false })
            tell({ event: 'inhabited', being: stanceOf(being), driver: stanceOf(as), epoch: held.epoch })
            out.progress(howTo(being))
            const why = await Promise.race([held.over, ending])
            if (why === 'released') await held.release()
            tell({ event: 'released', being: stanceOf(being), why })
            return why === 'released' ? 0 : 1
          }
          // An open input would keep the process from ending.
          return withServices(options, hold).finally(() => process.stdin.destroy())
        },
      ),
    )
}

interface ApiLease {
  readonly being: BeingName
  readonly own: boolean
  readonly tell: (line: LeaseLine) => void
  readonly ending: Promise<'released'>
}

/** The same by the API: the portal renews the lease while it hears from here. */
async function driveByApi(
  out: Output,
  login: Login,
  { being, own, tell, ending }: ApiLease,
): Promise<ExitStatus> {
  const leaving = new AbortController()
  let [isLost, failure]: [boolean, unknown] = [true, null]
  try {
    await callPortal(login, async (treeos) => {
      const giveBack = async () => {
        await treeos.be({ operation: 'release', args: { being: stanceOf(being) } })
        isLost = false
      }
      for await (const line of treeos.inhabit({ being: stanceOf(being), own, signal: leaving.signal })) {
        if (line.event === 'released') return tell(line)
        tell(line)
        out.progress(howTo(being))
        // The portal gives it back, too, once it hears nothing from here.
        void ending
          .then(giveBack)
          .catch((error: unknown) => (failure = error))
          .finally(() => leaving.abort())
      }
    })
  } catch (error) {
    if (!leaving.signal.aborted) throw error
  }
  if (failure !== null) throw failure
  if (!isLost) tell({ event: 'released', being: stanceOf(being), why: 'released' })
  return isLost ? 1 : 0
}

function untilInputEnds(): Promise<void> {
  return new Promise((resolve) => {
    for (const end of ['end', 'close', 'error']) process.stdin.once(end, () => resolve())
    process.stdin.resume()
  })
}

const howTo = (being: BeingName): string =>
  `act as it from elsewhere with --as ${stanceOf(being)}; Ctrl-C, or the end of standard input, gives it back`

function shownLine(line: LeaseLine): string {
  if (line.event === 'inhabited') return `${line.driver} drives ${line.being}`
  if (line.why === 'released') return `${line.being} is its own again`
  return `the lease on ${line.being} is over: the lease of its driver ended, or Postgres did not answer for too long`
}
