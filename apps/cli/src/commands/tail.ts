import type { Happening } from '@treeos/client'
import type { Cli, InstanceOptions } from '../cli.ts'
import { requireLivingBeing, withReality } from '../instance/with-instance.ts'
import { callPortal } from '../login/call-portal.ts'
import { shownHappening } from '../show/moments.ts'
import { requireStance } from '../text/input.ts'

interface TailOptions extends InstanceOptions {
  readonly after?: string
}

/** `treeos tail`: what happens, as it happens. */
export function addTail(cli: Cli): void {
  cli
    .onInstance('tail [stance]', 'follow moments and facts as they happen, until Ctrl-C')
    .option(
      '--after <id>',
      'also what happened after this one: the `id` of the last line that you saw; 0 for all',
    )
    .action(
      cli.run(async (out, stance: string | undefined, { after, ...options }: TailOptions) => {
        const being = stance === undefined ? undefined : requireStance(stance)
        const { instanceDir, locatePostgres, untilEnding } = await import('@treeos/local')
        const stopping = new AbortController()
        const ending = untilEnding()
        void ending.then(() => stopping.abort())
        const { login } = options
        if (login !== undefined) {
          out.progress(`following what happens at ${login.url}; Ctrl-C ends it`)
          return callPortal(login, async (treeos) => {
            const asked = { signal: stopping.signal, ...(after === undefined ? {} : { after }) }
            const journal = treeos.journal({ ...asked, ...(being === undefined ? {} : { being }) })
            for await (const happening of journal) {
              out.value(happening as unknown as Happening, shownHappening)
              await out.drained()
              if (out.isGone) break
            }
          })
        }
        const onTrouble = (error: Error) => out.progress(`Postgres: ${error.message}; trying again`)
        const { peopleUrl: url } = locatePostgres(instanceDir(options))
        await withReality(options, async (at, { follow, listenToJournal }) => {
          if (being !== undefined) await requireLivingBeing(at, being)
          const listener = listenToJournal(url, { onLost: onTrouble })
          try {
            const { from, happenings } = await follow(
              { db: at.db, listener },
              { after, being, signal: stopping.signal, onTrouble },
            )
            await Promise.race([listener.ready, ending])
            out.progress(`following after ${from}; Ctrl-C ends it`)
            for await (const happening of happenings) {
              out.value(happening, shownHappening)
              await out.drained()
              if (out.isGone) break
            }
          } finally {
            stopping.abort()
            await listener.close()
          }
        })
      }),
    )
}
