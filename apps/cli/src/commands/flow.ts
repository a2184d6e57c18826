import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from '@treeos/core'
import type { Lint } from '@treeos/roles'
import type { ActingOptions, Cli, InstanceOptions } from '../cli.ts'
import { withReality } from '../instance/with-instance.ts'
import { answered, type Service, serve } from '../served/serve.ts'
import { FLOW } from '../served/world.ts'
import { shownLint } from '../show/world.ts'
import {
  addressOfStance,
  mayHaveInstance,
  readJsonFile,
  requireJsonFile,
  requireStance,
} from '../text/input.ts'
import { prettyJson } from '../text/output.ts'
import { acts, doing } from './shared/act.ts'

/** How long a lint waits for the roles of the instance. */
const REACH_MS = 2_000

/** `treeos flow`: when a being takes which role. */
export function addFlow(cli: Cli): void {
  cli.describeGroup('flow', 'role flows: when a being takes which role')
  cli.asBeing('get <stance>', 'show the clauses of a being', 'flow').action(
    cli.run(async (out, stance: string, options: ActingOptions) => {
      const being = requireStance(stance, requireStance(options.as))
      out.value(await serve(options, FLOW, { being }), prettyJson)
    }),
  )
  acts(
    cli,
    cli
      .asBeing('set <stance> <file>', 'replace the clauses of a being; - reads standard input', 'flow')
      .option(
        '--dry-run',
        'evaluate them beside those that hold: `treeos dry-run list` shows what they would change',
      ),
    async (stance: string, file: string, options: ActingOptions & { readonly dryRun?: true }) => {
      const [target, flow] = [addressOfStance(stance, options), await requireJsonFile(file)]
      return options.dryRun === true
        ? doing(target, 'set-being', { field: 'shadow', value: flow })
        : doing(target, 'set-roleflow', { flow })
    },
  )
  cli.onInstance('lint <file>', 'check clauses for errors; - reads standard input', 'flow').action(
    cli.run(async (out, file: string, options: InstanceOptions) => {
      const flow = await readJsonFile(file)
      const lint = await serve(options, CHECK_FLOW, { flow })
      out.value(lint, (found) => shownLint(found, 'flow'))
      return lint.errors.length > 0 ? 1 : 0
    }),
  )
}

/** Without an instance the names of roles are not checked. */
const CHECK_FLOW: Service<{ readonly flow: unknown }, Lint> = {
  record: async (options, { flow }) => {
    const { lintFlow } = await import('@treeos/roles')
    const roles = mayHaveInstance(options) ? await knownRoles(options) : null
    return lintFlow(flow, roles === null ? {} : { roles })
  },
  api: (treeos, { flow }) =>
    answered(treeos.api.POST('/flows/check', { body: { flow: flow as JsonObject } })),
}

/** The roles of this instance; null when it cannot be reached, which is not an error. */
function knownRoles(options: InstanceOptions) {
  const reading = withReality(options, ({ db }, { registeredRoles }) => registeredRoles(db))
  return Promise.race([reading.catch(() => null), sleep(REACH_MS, null)])
}
