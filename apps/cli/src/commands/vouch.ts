import { parseAddress, stanceOf } from '@treeos/core'
import type { ActingOptions, Cli } from '../cli.ts'
import { acts, doing } from './shared/act.ts'

interface VouchOptions extends ActingOptions {
  readonly role?: string
  readonly namespace?: string
}

/** `treeos vouch`: a person clears the mark of words from outside. */
export function addVouch(cli: Cli): void {
  acts(
    cli,
    cli
      .asBeing('vouch <address>', 'vouch for what was written there in moments with words from outside')
      .option('--role <name>', 'of /: for a role')
      .option('--namespace <ns>', 'of /: for the signals of a namespace'),
    (address: string, { role, namespace }: VouchOptions) =>
      doing(wholeAddress(address), 'vouch', {
        ...(role === undefined ? {} : { role }),
        ...(namespace === undefined ? {} : { namespace }),
      }),
  )
}

/** The act has to name what it vouches for by its whole address. */
function wholeAddress(text: string): string {
  const address = parseAddress(text)
  if (address.kind === 'being') return stanceOf(address.being)
  return address.kind === 'space' ? address.path : text
}
