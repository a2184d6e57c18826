import { isJsonObject, type Json, type VerbCall } from '@treeos/core'
import type { ActingOptions, Cli, InstanceOptions } from '../cli.ts'
import { withReality, withServices } from '../instance/with-instance.ts'
import { shownDryRun } from '../show/dry-run.ts'
import { requireStance } from '../text/input.ts'
import { doing } from './shared/act.ts'

/**
 * `treeos dry-run`: rules and flows that are evaluated beside those that hold, without effect. They are set
 * by `treeos space set PATH shadow.…` and `treeos flow set --dry-run`, into the quality `shadow`.
 */
export function addDryRun(cli: Cli): void {
  cli.describeGroup('dry-run', 'rules and flows that are evaluated beside those that hold, from now on')
  cli
    .onInstance(
      'list <place>',
      'list what a dry run would have changed so far\nIt is of the rules of a space, or of the flow of a being.',
      'dry-run',
    )
    .action(
      cli.run(async (out, place: string, options: InstanceOptions) => {
        const view = await withReality(options, (at, { shadowed }) => shadowed(at, place))
        out.value(view, shownDryRun)
      }),
    )
  cli
    .asBeing(
      'adopt <place>',
      'let what is on a dry run hold from now on\nIt becomes the rules of the space, or the flow of the being.',
      'dry-run',
    )
    .action(
      cli.run(async (out, place: string, options: ActingOptions) => {
        const as = requireStance(options.as)
        const adopted = await withServices(options, async (at, { act, shadowed }) => {
          const { tried } = await shadowed(at, place)
          const calls = tried === null ? [] : adopting(place, tried)
          for (const call of calls) await act(at, as, call)
          return tried
        })
        out.value({ adopted }, (done) =>
          done.adopted === null ? 'nothing is on a dry run there' : 'what was on a dry run holds now',
        )
      }),
    )
}

/** Ends the dry run last: should one of the others be refused, it goes on. */
function adopting(place: string, tried: Json): VerbCall[] {
  const ended = { field: 'shadow', value: null }
  if (Array.isArray(tried))
    return [doing(place, 'set-roleflow', { flow: tried }), doing(place, 'set-being', ended)]
  const rules = Object.entries(isJsonObject(tried) ? tried : {})
  return [
    ...rules.map(([verb, value]) => doing(place, 'set-space', { field: `permissions.${verb}`, value })),
    doing(place, 'set-space', ended),
  ]
}
