import { parseAddress, parseCall, type VerbCall } from '@treeos/core'
import type { Command } from 'commander'
import type { ActingOptions, Cli } from '../../cli.ts'
import { ACT } from '../../served/acts.ts'
import { serve } from '../../served/serve.ts'
import { shownDone } from '../../show/acts.ts'
import { argument } from '../../text/failure.ts'
import { requireStance } from '../../text/input.ts'

/** The root space, which what belongs to no place is done to. */
export const ROOT = '/'

/** @throws {UsageError} */
export const doing = (target: string, operation: string, args: object = {}): VerbCall =>
  argument(() => {
    parseAddress(target)
    return parseCall({ verb: 'do', target, operation, args })
  })

/**
 * Makes a command one act of the being that its options name.
 * @param callOf the call, from the arguments of the command and its options
 */
export function acts<A extends unknown[]>(
  cli: Cli,
  command: Command,
  callOf: (...args: A) => VerbCall | Promise<VerbCall>,
): void {
  command.action(
    cli.run<A>(async (out, ...args) => {
      const call = await callOf(...args)
      // commander hands on the command after its options
      const options = args.at(-2) as ActingOptions & { readonly outside?: true }
      const as = requireStance(options.as)
      out.value(await serve(options, ACT, { as, call, outside: options.outside }), shownDone)
    }),
  )
}
