import { isJsonObject, parseSpacePath } from '@treeos/core'
import type { ActingOptions, Cli, InstanceOptions } from '../cli.ts'
import { withReality, withServices } from '../instance/with-instance.ts'
import { shownShadow } from '../show/shadow.ts'
import { requireStance } from '../text/input.ts'
import { doing } from './shared/act.ts'

/** `treeos shadow`: rules of spaces that are tried. They are set by `treeos space set`. */
export function addShadow(cli: Cli): void {
  cli.describeGroup('shadow', 'rules that are tried in the shadow of those that hold')
  cli
    .onInstance(
      'list <place>',
      'list what the rules that are tried in a space would have said otherwise; or of the calls of a being',
      'shadow',
    )
    .action(
      cli.run(async (out, place: string, options: InstanceOptions) => {
        const view = await withReality(options, (at, { shadowed }) => shadowed(at, place))
        out.value(view, shownShadow)
      }),
    )
  cli.asBeing('adopt <path>', 'make the rules that are tried in a space its rules', 'shadow').action(
    cli.run(async (out, path: string, options: ActingOptions) => {
      const space = parseSpacePath(path)
      const as = requireStance(options.as)
      const adopted = await withServices(options, async (at, { act, shadowed }) => {
        const { tried } = await shadowed(at, space)
        const rules = isJsonObject(tried) ? tried : {}
        for (const [verb, value] of Object.entries(rules))
          await act(at, as, doing(space, 'set-space', { field: `permissions.${verb}`, value }))
        // Last: should one of these be refused, the rules are still tried.
        if (tried !== null) await act(at, as, doing(space, 'set-space', { field: 'shadow', value: null }))
        return rules
      })
      out.value({ adopted }, (done) =>
        Object.keys(done.adopted).length === 0
          ? 'no rule is tried there'
          : 'the rules that were tried hold now',
      )
    }),
  )
}
