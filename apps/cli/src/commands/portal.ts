import { Option } from 'commander'
import type { ActingOptions, Cli, InstanceOptions } from '../cli.ts'
import { parseNumber, requireStance } from '../text/input.ts'

const PORT_MAX = 65_535

interface PortalOptions extends InstanceOptions {
  readonly port?: number
  readonly supervised?: boolean
}

/** `treeos portal | link` */
export function addPortal(cli: Cli): void {
  cli
    .onInstance('portal', 'serve the portal of the instance, until Ctrl-C; `treeos up` starts one')
    .option(
      '--port <n>',
      'the port to listen on (default: a free one)',
      parseNumber('--port', { min: 0, max: PORT_MAX, whole: true }),
    )
    .addOption(new Option('--supervised', 'goes on when its launcher ends').hideHelp())
    .action(
      cli.run(async (out, options: PortalOptions) => {
        const { onEnding } = await import('@treeos/local')
        const ending = onEnding({ watch: options.supervised !== true })
        const { listenToJournal } = await import('@treeos/store')
        const { buildPage, portalOf, servePortal } = await import('@treeos/portal')
        const { teller } = await import('./shared/teller.ts')
        const { withPortalServices } = await import('../instance/connection.ts')
        const { dataDirOf } = await import('../instance/data-dir.ts')
        const { temporalUiOf } = await import('@treeos/local')
        const { TREEOS_PORTAL_LISTEN: listen, TREEOS_PORTAL_HOSTS: hosts = '' } = process.env
        const { machineOf } = await import('../health/machine.ts')
        const { providerIn } = await import('../instance/provider.ts')
        const onError = teller(out, 'portal')
        const provider = await providerIn(process.env)
        await buildPage((line) => out.progress(line))
        await withPortalServices(options, async ({ postgresUrl, ...at }) => {
          const listener = listenToJournal(postgresUrl, { onLost: (error) => onError('journal', error) })
          const temporal = temporalUiOf(dataDirOf(options))
          const machine = machineOf(dataDirOf(options), { ...at, postgresUrl })
          const portal = { at, store: portalOf(at.db), listener, temporal, machine, provider, onError }
          const served = await servePortal(portal, {
            port: options.port ?? 0,
            hosts: hosts.split(/[\s,]+/).filter((name) => name !== ''),
            ...(listen ? { listen } : {}),
          })
          out.value(
            { ready: true, pid: process.pid, url: served.url },
            ({ url }) => `the portal is at ${url}`,
          )
          await ending.promise
          await served.close()
          await listener.close()
          ending.release()
        })
      }),
    )
  cli
    .asBeing('link [stance]', 'make a link by which a person chooses how it signs in to the portal, once')
    .action(
      cli.run(async (out, stance: string | undefined, options: ActingOptions) => {
        const as = requireStance(options.as)
        const being = stance === undefined ? as : requireStance(stance, as)
        const { portalUrl } = await import('./shared/portal-url.ts')
        const url = await portalUrl(options)
        const { authorizeOverPerson } = await import('./shared/over-person.ts')
        const { asPortal } = await import('../instance/connection.ts')
        const { makeLink, portalOf } = await import('@treeos/portal')
        const token = await asPortal(options, async (at) => {
          await authorizeOverPerson(at, { being, as })
          return makeLink(portalOf(at.db), being, { madeBy: as })
        })
        const { stanceOf } = await import('@treeos/core')
        const { linkTo } = await import('../instance/portal-link.ts')
        const made = { stance: stanceOf(being), link: linkTo(url, token) }
        out.value(
          made,
          ({ stance, link }) => `${stance} signs in by this link, once and within a day:\n${link}`,
        )
      }),
    )
}
