import type { ListedMoment } from '@treeos/client'
import type { Cli, InstanceOptions } from '../cli.ts'
import { EXPLAIN, MOMENTS, PROMPT } from '../served/past.ts'
import { mine, serve } from '../served/serve.ts'
import { shownExplanation, shownMoments, shownPrompt } from '../show/moments.ts'
import { nameCell } from '../text/csv.ts'
import { UsageError } from '../text/failure.ts'
import { momentNumber, requireStance } from '../text/input.ts'
import { boundsOf, type Columns, type ListingOptions, listsActs, tellListed } from './shared/list-options.ts'

interface MomentsOptions extends InstanceOptions, ListingOptions {
  readonly last?: number
}

/** Of all beings, unless said otherwise. */
const LAST = 50

const COLUMNS: Columns<ListedMoment> = {
  being: ({ being }) => nameCell(being),
  n: ({ n }) => n,
  opened: ({ openedAt }) => openedAt,
  ended: ({ endedAt }) => endedAt,
  outcome: ({ outcome }) => outcome,
  reason: ({ reason }) => reason,
  woken_by: ({ woke }) => nameCell(woke?.from),
  verb: ({ did }) => did?.verb,
  operation: ({ did }) => did?.operation,
  target: ({ did }) => nameCell(did?.target),
  role: ({ primary }) => primary,
  driver: ({ driver }) => nameCell(driver),
  tokens: ({ cost }) => cost?.tokens,
  money: ({ cost }) => cost?.money,
  words: ({ words }) => words,
  act: ({ act }) => act,
}

/** `treeos moments | explain | prompt` */
export function addMoments(cli: Cli): void {
  listsActs(
    cli
      .onInstance('moments [stance]', 'list finished moments, oldest first: of a being, or of all')
      .option(
        '--last <n>',
        `only the last n (default: all of one being, ${LAST} of all)`,
        momentNumber('--last'),
      ),
    'moments',
  ).action(
    cli.run(async (out, stance: string | undefined, options: MomentsOptions) => {
      const { last } = options
      if (stance !== undefined && options.being !== undefined)
        throw new UsageError('name the being by its stance or by --being')
      const being = stance ?? options.being
      const bounds = boundsOf({ ...options, ...(being === undefined ? {} : { being }) }, mine(options))
      const found = await serve(options, MOMENTS, {
        ...bounds,
        last: last ?? (being === undefined ? LAST : undefined),
      })
      tellListed(out, options, found, COLUMNS, () =>
        out.lines(found, (moments) => shownMoments(moments, being === undefined)),
      )
    }),
  )

  cli
    .onInstance('explain <stance>', 'show why a moment had its roles, and what they permitted')
    .argument('<n>', 'number of the moment', momentNumber('N'))
    .action(
      cli.run(async (out, stance: string, n: number, options: InstanceOptions) => {
        const being = requireStance(stance, mine(options))
        out.value(await serve(options, EXPLAIN, { being, n }), shownExplanation)
      }),
    )

  cli
    .onInstance('prompt <stance>', 'rebuild the prompt of a moment, and compare it with the record')
    .argument('<n>', 'number of the moment', momentNumber('N'))
    .action(
      cli.run(async (out, stance: string, n: number, options: InstanceOptions) => {
        const being = requireStance(stance, mine(options))
        out.value(await serve(options, PROMPT, { being, n }), shownPrompt)
      }),
    )
}
