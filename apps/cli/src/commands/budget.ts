import type { ActingOptions, Cli, InstanceOptions } from '../cli.ts'
import { mine, serve } from '../served/serve.ts'
import { BUDGETS } from '../served/world.ts'
import { shownBudgets } from '../show/world.ts'
import { addressOfStance, requireObject, requireStance } from '../text/input.ts'
import { acts, doing, ROOT } from './shared/act.ts'

/** `treeos budget [show | set]`: what beings may use, and what they used. */
export function addBudget(cli: Cli): void {
  cli.describeGroup('budget', 'what beings may use up, and what they used')
  cli
    .onInstance('show [stance]', 'show the budget of one being, or of all', 'budget', true)
    .option('--children', 'show those of its children after it')
    .action(
      cli.run(async (out, stance: string | undefined, options: InstanceOptions & { children?: boolean }) => {
        const me = mine(options)
        const being = stance === undefined ? undefined : requireStance(stance, me)
        const asked = { being, me, children: options.children === true }
        out.value(await serve(options, BUDGETS, asked), (view) => shownBudgets([view].flat()))
      }),
    )
  acts(
    cli,
    cli.asBeing(
      'set <stance> <json>',
      'replace the budget of a being; {} takes all limits away\nThe budget of / is that of each being without one of its own.',
      'budget',
    ),
    (stance: string, json: string, options: ActingOptions) => {
      const target = stance === ROOT ? ROOT : addressOfStance(stance, options)
      return doing(target, 'set-budget', requireObject(json, 'the budget'))
    },
  )
  acts(
    cli,
    cli.asBeing(
      'release <stance>',
      'give back what calls of unknown cost hold of a budget\nThese are model calls whose cost never came back. The being goes on.',
      'budget',
    ),
    (stance: string, options: ActingOptions) =>
      doing(addressOfStance(stance, options), 'unpark-being', { release: true }),
  )
}
