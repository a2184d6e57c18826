import { parseMomentId, stanceOf, TreeosError } from '@treeos/core'
import type { ActingOptions, Cli } from '../cli.ts'
import { withReality } from '../instance/with-instance.ts'
import { CANCEL } from '../served/acts.ts'
import { serve } from '../served/serve.ts'
import { shownCancelled } from '../show/acts.ts'
import { UsageError } from '../text/failure.ts'
import { addressOfStance, requireStance } from '../text/input.ts'
import { acts, doing } from './shared/act.ts'

/** As `treeos tail --json` and `explain` name a moment; a stance ends with `@name`. */
const MOMENT = /^[a-z][a-z0-9-]{0,31}\/[1-9]\d{0,8}\/[1-9]\d{0,8}$/

/** `treeos cancel | pause | resume | accept-difference`: a being that is at work. */
export function addControl(cli: Cli): void {
  cli
    .asBeing(
      'cancel <moment-or-stance>',
      'cancel a call of a model that is under way\nIts moment fails, and whoever asked is told.',
    )
    .action(
      cli.run(async (out, named: string, options: ActingOptions) => {
        const as = requireStance(options.as)
        const request = MOMENT.test(named)
          ? { as, being: parseMomentId(named).being, moment: named }
          : { as, being: requireStance(named, as) }
        out.value(await serve(options, CANCEL, request), shownCancelled)
      }),
    )
  addOperation(cli, 'pause', 'pause-being', 'let a being live no moment until it is resumed; its inbox fills')
  addOperation(cli, 'resume', 'resume-being', 'let a paused being live what waits for it')
  addAcceptDifference(cli)
}

/** `treeos accept-difference`: names what the run of the moment failed by, so that just this is accepted. */
function addAcceptDifference(cli: Cli): void {
  acts(
    cli,
    cli.asBeing(
      'accept-difference <moment>',
      'let a being go on that stopped because worker and workflow disagree\nThey disagree about the stack of a moment, and its run failed.',
    ),
    async (moment: string, options: ActingOptions) => {
      if (!MOMENT.test(moment))
        throw new UsageError(`${moment} is not a moment: a moment is BEING/GENERATION/N`)
      const { findDifferingStack } = await import('@treeos/store')
      const found = await withReality(options, ({ db }) => findDifferingStack(db, moment))
      if (found === null)
        throw new TreeosError(
          'RESOURCE_CONFLICT',
          `no run failed by the stack of ${moment}, or the difference is over or accepted`,
        )
      const { being, recorded, given } = found
      return doing(stanceOf(being), 'accept-difference', {
        moment,
        ...(recorded === null ? {} : { recorded }),
        ...(given === null ? {} : { given }),
      })
    },
  )
}

/** A command that does an operation without arguments to a being. */
export function addOperation(cli: Cli, command: string, operation: string, description: string): void {
  acts(cli, cli.asBeing(`${command} <stance>`, description), (stance: string, options: ActingOptions) =>
    doing(addressOfStance(stance, options), operation),
  )
}
