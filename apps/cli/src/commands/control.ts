import { parseCall, parseMomentId, stanceOf } from '@treeos/core'
import type { ActingOptions, Cli } from '../cli.ts'
import { requireStance } from '../text/input.ts'
import { shownCancelled, shownDone } from './shared/show.ts'

/** As `treeos tail --json` and `explain` name a moment; a stance ends with `@name`. */
const MOMENT = /^[a-z][a-z0-9-]{0,31}\/[1-9]\d{0,8}\/[1-9]\d{0,8}$/

/** `treeos cancel | pause | resume`: a being that is at work. */
export function addControl(cli: Cli): void {
  cli
    .asBeing(
      'cancel <moment-or-stance>',
      'cancel the call of a mind that is under way: its moment fails, and whoever asked is told',
    )
    .action(
      cli.run(async (out, named: string, options: ActingOptions) => {
        const as = requireStance(options.as)
        const request = MOMENT.test(named)
          ? { as, being: parseMomentId(named).being, moment: named }
          : { as, being: requireStance(named, as) }
        const { cancel } = await import('@treeos/client/records')
        const { withReality } = await import('../instance/connection.ts')
        out.value(await withReality(options, (at) => cancel(at, request)), shownCancelled)
      }),
    )
  addOperation(cli, 'pause', 'pause-being', 'let a being live no moment until it is resumed; its inbox fills')
  addOperation(cli, 'resume', 'resume-being', 'let a paused being live what waits for it')
}

function addOperation(cli: Cli, command: string, action: string, description: string): void {
  cli.asBeing(`${command} <stance>`, description).action(
    cli.run(async (out, stance: string, options: ActingOptions) => {
      const target = stanceOf(requireStance(stance, requireStance(options.as)))
      const { actAs } = await import('./shared/act-as.ts')
      out.value(await actAs(options, parseCall({ verb: 'do', target, action, args: {} })), shownDone)
    }),
  )
}
