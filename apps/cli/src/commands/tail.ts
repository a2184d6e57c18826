import type { Happening } from '@treeos/client'
import type { Cli, InstanceOptions } from '../cli.ts'
import { requireLivingBeing, withReality } from '../instance/with-instance.ts'
import { callPortal } from '../login/call-portal.ts'
import { mine } from '../served/serve.ts'
import { shownHappening } from '../show/moments.ts'
import { abortAt } from '../text/abort-at.ts'
import { nameCell } from '../text/csv.ts'
import { UsageError } from '../text/failure.ts'
import {
  boundsOf,
  type Columns,
  csvLines,
  isAmong,
  isWithin,
  type ListingBounds,
  type ListingOptions,
  listsActs,
} from './shared/list-options.ts'

interface TailOptions extends InstanceOptions, ListingOptions {
  readonly after?: string
}

/** Of a moment its role and outcome, of a fact its reel and kind. */
const COLUMNS: Columns<Happening> = {
  id: ({ id }) => id,
  type: ({ type }) => type,
  at: (one) => timeOf(one),
  by: (one) => (one.type === 'moment' ? one.being : one.actor),
  driver: ({ driver }) => nameCell(driver),
  where: (one) => (one.type === 'moment' ? one.primary : one.reel),
  what: (one) => (one.type === 'moment' ? one.outcome : one.kind),
  moment: (one) => (one.type === 'moment' ? `${one.being}#${one.n}` : one.moment),
}

const timeOf = (one: Happening): string => (one.type === 'moment' ? one.openedAt : one.at)

/** Of a person, only what it did itself or as a driver. */
function isAsked(bounds: ListingBounds, one: Happening): boolean {
  const by = one.type === 'moment' ? one.being : one.actor
  const driver = one.driver === undefined || one.driver === null ? null : `@${one.driver.replace(/^@/, '')}`
  return isWithin(bounds, timeOf(one)) && isAmong({ person: bounds.person }, [`@${by}`, driver])
}

/** `treeos tail`: what happens, as it happens. */
export function addTail(cli: Cli): void {
  listsActs(
    cli
      .onInstance('tail [stance]', 'follow moments and facts as they happen, until Ctrl-C')
      .option(
        '--after <id>',
        'also what happened after this one: the `id` of the last line that you saw; 0 for all',
      ),
    'tail',
  ).action(
    cli.run(async (out, stance: string | undefined, options: TailOptions) => {
      if (stance !== undefined && options.being !== undefined)
        throw new UsageError('name the being by its stance or by --being')
      const named = stance ?? options.being
      const bounds = boundsOf({ ...options, ...(named === undefined ? {} : { being: named }) }, mine(options))
      const { being, since, until } = bounds
      if (until !== undefined && until <= Date.now())
        throw new UsageError('--until is over: `treeos moments --until` lists what was')
      const after = options.after ?? (since === undefined ? undefined : '0')
      const csv = csvLines(out, options, COLUMNS)
      /** @returns whether nobody reads any more, or it is over */
      const tell = async (one: Happening): Promise<boolean> => {
        if (isAsked(bounds, one)) {
          if (csv === undefined) out.value(one, shownHappening)
          else csv(one)
          await out.drained()
        }
        return out.isGone || (until !== undefined && Date.parse(timeOf(one)) >= until)
      }
      const { instanceDir, locatePostgres, untilEnding } = await import('@treeos/local')
      const stopping = new AbortController()
      const ending = untilEnding()
      void ending.then(() => stopping.abort())
      const over = until === undefined ? [] : [abortAt(until)]
      const signal = AbortSignal.any([stopping.signal, ...over])
      const { login } = options
      if (login !== undefined) {
        out.progress(`following what happens at ${login.url}; Ctrl-C ends it`)
        return callPortal(login, async (treeos) => {
          const asked = { signal, ...(after === undefined ? {} : { after }) }
          const journal = treeos.journal({ ...asked, ...(being === undefined ? {} : { being }) })
          for await (const happening of journal) {
            if (await tell(happening as unknown as Happening)) break
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
            { after, being, signal, onTrouble },
          )
          await Promise.race([listener.ready, ending])
          out.progress(`following after ${from}; Ctrl-C ends it`)
          for await (const happening of happenings) {
            if (await tell(happening)) break
          }
        } finally {
          stopping.abort()
          await listener.close()
        }
      })
    }),
  )
}
