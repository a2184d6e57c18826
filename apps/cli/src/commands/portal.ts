import { stanceOf } from '@treeos/core'
import { Option } from 'commander'
import type { ActingOptions, Cli, InstanceOptions } from '../cli.ts'
import { requireStance, wholeNumber } from '../text/input.ts'

const PORT_MAX = 65_535

interface PortalOptions extends InstanceOptions {
  readonly port?: number
  readonly supervised?: boolean
}

const listed = (names = ''): string[] => names.split(/[\s,]+/).filter((name) => name !== '')

/** `treeos portal | link` */
export function addPortal(cli: Cli): void {
  cli
    .onInstance('portal', 'serve the portal of the instance, until Ctrl-C\n`treeos up` starts one.')
    .option('--port <n>', 'the port to listen on (default: a free one)', wholeNumber('--port', 0, PORT_MAX))
    .addOption(new Option('--supervised', 'goes on when its launcher ends').hideHelp())
    .action(
      cli.run(async (out, options: PortalOptions) => {
        const { onEnding, temporalUiOf } = await import('@treeos/local')
        const ending = onEnding({ watch: options.supervised !== true })
        const { listenToJournal } = await import('@treeos/store')
        const { buildPage, portalOf, servePortal } = await import('@treeos/portal')
        const { errorReporter: teller } = await import('../text/error-reporter.ts')
        const { withPortalServices } = await import('../instance/connection.ts')
        const { instanceDir } = await import('@treeos/local')
        const {
          TREEOS_PORTAL_LISTEN: listen,
          TREEOS_PORTAL_HOSTS: hosts,
          TREEOS_PORTAL_ORIGINS: origins,
          TREEOS_PORTAL_PROXIES: proxies,
        } = process.env
        const { machineOf } = await import('../health/machine.ts')
        const { providerIn } = await import('../instance/provider.ts')
        const { actsPerMinuteIn } = await import('@treeos/client')
        const actsPerMinute = actsPerMinuteIn(process.env.TREEOS_ACTS_PER_MINUTE)
        const onError = teller(out, 'portal')
        const provider = await providerIn(process.env)
        const { openMcp } = await import('@treeos/mcp')
        const { outletsIn, scrapeTokenIn } = await import('../instance/outlets.ts')
        const outlets = outletsIn(process.env)
        await buildPage((line) => out.progress(line))
        await withPortalServices(options, async ({ postgresUrl, ...at }) => {
          const listener = listenToJournal(postgresUrl, { onLost: (error) => onError('journal', error) })
          const temporal = temporalUiOf(instanceDir(options))
          const machine = machineOf(instanceDir(options), { ...at, postgresUrl })
          const portal = { at, store: portalOf(at.db), listener, temporal, machine, provider, onError }
          const served = await servePortal(portal, {
            port: options.port ?? 0,
            hosts: listed(hosts),
            origins: listed(origins),
            proxies: listed(proxies),
            actsPerMinute,
            openMcp,
            outlets,
            scrapeToken: scrapeTokenIn(process.env),
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
  cli.asBeing('link [stance]', 'make a link by which a person signs in to the portal').action(
    cli.run(async (out, stance: string | undefined, options: ActingOptions) => {
      const as = requireStance(options.as)
      const being = stance === undefined ? as : requireStance(stance, as)
      const { linkTo, requirePortalUrl } = await import('../instance/portal-link.ts')
      const { instanceDir } = await import('@treeos/local')
      const url = requirePortalUrl(instanceDir(options))
      const { overPerson } = await import('../instance/over-person.ts')
      const { makeLink, OWN_LINK_MINUTES } = await import('@treeos/portal')
      const token = await overPerson(options, { being, as }, (store) =>
        makeLink(store, being, { madeBy: as, ...(being === as ? { minutes: OWN_LINK_MINUTES } : {}) }),
      )
      out.value(
        { stance: stanceOf(being), link: linkTo(url, token) },
        (made) =>
          `${made.stance} signs in by this link, once and within ${being === as ? `${OWN_LINK_MINUTES} minutes` : 'a day'}:\n${made.link}`,
      )
    }),
  )
}
