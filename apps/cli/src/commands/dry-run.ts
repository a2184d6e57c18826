import { isJsonObject, type Json, type VerbCall } from '@treeos/core'
import type { ActingOptions, Cli, InstanceOptions } from '../cli.ts'
import { withReality, withServices } from '../instance/with-instance.ts'
import { shownShadow } from '../show/dry-run.ts'
import { requireStance } from '../text/input.ts'
import { doing } from './shared/act.ts'

/** `treeos shadow`: rules and flows that are tried. They are set by `treeos space set` and `treeos flow set --shadow`. */
export function addShadow(cli: Cli): void {
  cli.describeGroup('shadow', 'rules and flows that are tried in the shadow of those that hold')
  cli
    .onInstance(
      'list <place>',
      'list what the rules that are tried in a space, or the flow in a being, would have changed so far',
      'shadow',
    )
    .action(
      cli.run(async (out, place: string, options: InstanceOptions) => {
        const view = await withReality(options, (at, { shadowed }) => shadowed(at, place))
        out.value(view, shownShadow)
      }),
    )
  cli
    .asBeing('adopt <place>', 'make what is tried in a space its rules, or in a being its flow', 'shadow')
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
          done.adopted === null ? 'nothing is tried there' : 'what was tried holds now',
        )
      }),
    )
}

/** Ends the trial last: should one of the others be refused, it goes on. */
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
