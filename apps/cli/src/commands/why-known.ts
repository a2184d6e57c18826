import type { KnownFrom, TextSources } from '@treeos/client'
import type { Cli, InstanceOptions } from '../cli.ts'
import { withBeing } from '../instance/with-instance.ts'
import { programName } from '../text/program-name.ts'

/** `treeos why-known`: where a text came from that a being knows, and every moment that was shown it. */
export function addWhyKnown(cli: Cli): void {
  cli
    .onInstance('why-known <stance> <text>', 'show where a text came from that a being knows, and who saw it')
    .option('--before <fact>', 'only facts older than this one, as `next` names it')
    .action(
      cli.run(async (out, stance: string, text: string, options: InstanceOptions & { before?: string }) => {
        const known = await withBeing(options, stance, ({ db }, being, { whyKnown }) =>
          whyKnown(db, being, text, options.before),
        )
        out.value(known, shownKnown)
      }),
    )
}

const shownKnown = ({ known, next }: TextSources): string =>
  [
    ...(known.length === 0 ? ['no fact says it that this being wrote or was shown'] : known.map(shownSource)),
    ...(next === null ? [] : [`older facts say it, too: the same with --before '${next}'`]),
  ].join('\n\n')

function shownSource({ fact, kind, note, by, driver, at, moment, cause, origin, seenBy }: KnownFrom): string {
  return [
    `${note ?? fact}  ${kind}, from ${origin === 'outside' ? 'outside' : 'the world'}`,
    `  by       ${by}${driver === undefined ? '' : `, driven by ${driver}`}, ${at}`,
    `  moment   ${moment ?? '-'}`,
    `  cause    ${cause === null ? '-' : `${cause.fact} by ${cause.by}`}`,
    `  seen by  ${seenBy.join(' ') || '-'}`,
    ...(note === undefined
      ? []
      : [
          `  erase it: ${programName()} do ${note} write-matter --args '{"content": null}' && ${programName()} erase '${fact}' --why '…'`,
        ]),
  ].join('\n')
}
