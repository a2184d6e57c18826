import type { MarkedView } from '@treeos/client/records'
import { parseAddress, stanceOf } from '@treeos/core'
import type { ActingOptions, Cli } from '../cli.ts'
import { withReality, withServices } from '../instance/with-instance.ts'
import { shownDone } from '../show/acts.ts'
import { argument } from '../text/failure.ts'
import { requireStance } from '../text/input.ts'
import { prettyJson } from '../text/output.ts'
import { programName } from '../text/program-name.ts'
import { doing } from './shared/act.ts'

interface TrustOptions extends ActingOptions {
  readonly role?: string
  readonly namespace?: string
  readonly seen?: string
}

/**
 * `treeos trust`: a person marks as trusted what it has seen, which clears the mark of words from outside.
 * The operation is `vouch`.
 */
export function addTrust(cli: Cli): void {
  cli
    .asBeing(
      'trust <address>',
      'show what words from outside wrote, and mark it as trusted\nWithout --seen it shows what would be trusted, with its digest.',
    )
    .option('--role <name>', 'of /: for a role')
    .option('--namespace <ns>', 'of /: for the signals of a namespace')
    .option('--seen <digest>', 'mark as trusted what was shown with this digest, if it is still the same')
    .action(
      cli.run(async (out, named: string, options: TrustOptions) => {
        const { role, namespace, seen } = options
        const address = wholeAddress(named)
        const of = {
          ...(role === undefined ? {} : { role }),
          ...(namespace === undefined ? {} : { namespace }),
        }
        const as = requireStance(options.as)
        if (seen !== undefined) {
          const call = doing(address, 'vouch', { ...of, seen })
          return out.value(await withServices(options, (at, { act }) => act(at, as, call)), shownDone)
        }
        const asked = role !== undefined ? { role } : namespace !== undefined ? { namespace } : { address }
        const view = await withReality(options, (at, { markedView }) => markedView(at, asked))
        out.value(view, (found) => shownMarked(found, address, of))
      }),
    )
}

/** The act has to name by its whole address what it marks as trusted. */
function wholeAddress(text: string): string {
  const address = argument(() => parseAddress(text))
  if (address.kind === 'being') return stanceOf(address.being)
  return address.kind === 'space' ? address.path : text
}

function shownMarked(
  { seen, holds }: MarkedView,
  address: string,
  of: Readonly<Record<string, string>>,
): string {
  const options = Object.entries(of).map(([name, value]) => ` --${name} ${value}`)
  return `${prettyJson(holds)}\n\nto mark exactly this as trusted: ${programName()} trust ${address}${options.join('')} --seen ${seen}`
}
