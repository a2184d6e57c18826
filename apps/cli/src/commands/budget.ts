import { parseCall, stanceOf } from '@treeos/core'
import type { ActingOptions, Cli, InstanceOptions } from '../cli.ts'
import { requireObject, requireStance } from '../text/input.ts'
import { shownBudgets, shownDone } from './shared/show.ts'

const ROOT = '/'

/** `treeos budget [show | set]`: what beings may use, and what they used. */
export function addBudget(cli: Cli): void {
  cli.describeGroup('budget', 'what beings may use up, and what they used')
  cli
    .onInstance('show [stance]', 'show the budget of one being, or of all', 'budget', true)
    .option('--children', 'show those of its children after it')
    .action(
      cli.run(async (out, stance: string | undefined, options: InstanceOptions & { children?: boolean }) => {
        const { budget, budgets, budgetsOfChildren } = await import('@treeos/client/records')
        const { withReality } = await import('../instance/connection.ts')
        if (options.children) {
          const being = requireStance(stance ?? '@operator')
          return out.value(await withReality(options, (at) => budgetsOfChildren(at, being)), shownBudgets)
        }
        if (stance === undefined) return out.value(await withReality(options, budgets), shownBudgets)
        const being = requireStance(stance)
        out.value(await withReality(options, (at) => budget(at, being)), (view) => shownBudgets([view]))
      }),
    )
  cli
    .asBeing(
      'set <stance> <json>',
      'replace the budget of a being; of / the budget of each being without one of its own; {} takes all limits away',
      'budget',
    )
    .action(
      cli.run(async (out, stance: string, json: string, options: ActingOptions) => {
        const args = requireObject(json, 'the budget')
        const target = stance === ROOT ? ROOT : stanceOf(requireStance(stance, requireStance(options.as)))
        const { actAs } = await import('./shared/act-as.ts')
        const call = parseCall({ verb: 'do', target, action: 'set-budget', args })
        out.value(await actAs(options, call), shownDone)
      }),
    )
}
