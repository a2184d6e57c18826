import type { ActingOptions, Cli } from '../cli.ts'
import { serve } from '../served/serve.ts'
import { CLOSE_INBOX, INBOX } from '../served/waiting.ts'
import { shownInbox } from '../show/acts.ts'
import { UsageError } from '../text/failure.ts'
import { requireStance } from '../text/input.ts'

interface ClosingOptions extends ActingOptions {
  readonly allNotices?: boolean
}

/** `treeos inbox [read | dismiss]`: what waits for a person. */
export function addInbox(cli: Cli): void {
  cli.describeGroup('inbox', 'what waits for your answer, or to be read')
  cli.asBeing('list', 'list what waits for you, oldest first', 'inbox', true).action(
    cli.run(async (out, options: ActingOptions) => {
      const as = requireStance(options.as)
      out.value(await serve(options, INBOX, { as }), shownInbox)
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
