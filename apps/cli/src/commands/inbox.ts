import type { InboxView } from '@treeos/client'
import type { ActingOptions, Cli } from '../cli.ts'
import { CLOSE_INBOX, INBOX } from '../served/inbox.ts'
import { serve } from '../served/serve.ts'
import { shownInbox } from '../show/acts.ts'
import { nameCell } from '../text/csv.ts'
import { UsageError } from '../text/failure.ts'
import { requireStance } from '../text/input.ts'
import {
  boundsOf,
  type Columns,
  isAmong,
  isWithin,
  type ListingOptions,
  listsActs,
  tellListed,
} from './shared/list-options.ts'

interface ClosingOptions extends ActingOptions {
  readonly allNotices?: boolean
}

const COLUMNS: Columns<InboxView> = {
  id: ({ correlation }) => correlation,
  at: ({ at }) => at,
  from: ({ from }) => nameCell(from),
  kind: ({ kind }) => kind,
  priority: ({ priority }) => priority,
  times: ({ times = 1 }) => times,
  outside: ({ outside = false }) => outside,
  text: ({ text }) => text,
}

/** `treeos inbox [read | dismiss]`: what waits for a person. */
export function addInbox(cli: Cli): void {
  cli.describeGroup('inbox', 'what waits for your answer, or to be read')
  listsActs(cli.asBeing('list', 'list what waits for you, oldest first', 'inbox', true), 'inbox list').action(
    cli.run(async (out, options: ActingOptions & ListingOptions) => {
      const as = requireStance(options.as)
      const bounds = boundsOf(options, as)
      const found = (await serve(options, INBOX, { as })).filter(
        ({ at, from }) => isWithin(bounds, at) && isAmong(bounds, [from]),
      )
      tellListed(out, options, found, COLUMNS, () => out.value(found, shownInbox))
    }),
  )
  addClosing(cli, 'read', 'mark notices and answers as read')
  addClosing(cli, 'dismiss', 'close entries without an answer')
}

function addClosing(cli: Cli, name: 'read' | 'dismiss', description: string): void {
  cli
    .asBeing(`${name} [ids...]`, description, 'inbox')
    .option('--all-notices', 'all notices of failures and limits')
    .action(
      cli.run(async (out, ids: string[], { allNotices = false, ...options }: ClosingOptions) => {
        if (allNotices === ids.length > 0)
          throw new UsageError(
            `\`treeos inbox ${name}\` takes ids that \`treeos inbox\` lists, or --all-notices`,
          )
        const how = name === 'read' ? 'read' : 'dismissed'
        const request = { as: requireStance(options.as), how, entries: allNotices ? null : ids } as const
        out.value(await serve(options, CLOSE_INBOX, request), ({ closed }) =>
          closed === 1 ? '1 entry was closed' : `${closed} entries were closed`,
        )
      }),
    )
}
