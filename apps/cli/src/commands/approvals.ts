import { stanceOf } from '@treeos/core'
import type { ActingOptions, Cli } from '../cli.ts'
import { withReality } from '../instance/with-instance.ts'
import { shownApprovals } from '../show/acts.ts'
import { requireObject, requireStance } from '../text/input.ts'
import { acts, doing } from './shared/act.ts'

/** `treeos approvals | approve | deny`: calls that rules ask a person about. */
export function addApprovals(cli: Cli): void {
  cli.asBeing('approvals', 'list the calls that wait for your yes, oldest first').action(
    cli.run(async (out, options: ActingOptions) => {
      const as = requireStance(options.as)
      out.value(await withReality(options, (at, { approvals }) => approvals(at, as)), shownApprovals)
    }),
  )
  acts(
    cli,
    cli
      .asBeing('approve <id>', 'say yes to a call that waits')
      .option('--args <json>', 'arguments in place of those that were asked about, as a JSON object'),
    (id: string, { args, as }: ActingOptions & { args?: string }) =>
      answering(as, 'approve', {
        id,
        ...(args === undefined ? {} : { args: requireObject(args, '--args') }),
      }),
  )
  acts(
    cli,
    cli.asBeing('deny <id>', 'say no to a call that waits').option('--why <text>', 'for whoever asked'),
    (id: string, { why, as }: ActingOptions & { why?: string }) =>
      answering(as, 'deny', { id, ...(why === undefined ? {} : { why }) }),
  )
}

const answering = (as: string, action: string, args: object) =>
  doing(stanceOf(requireStance(as)), action, args)
