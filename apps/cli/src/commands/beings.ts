import type { Cli, InstanceOptions } from '../cli.ts'
import { shownBeings } from './shared/show.ts'

/** `treeos beings` */
export function addBeings(cli: Cli): void {
  cli
    .onInstance('beings', 'list all beings')
    .option('--role <role>', 'only children with this role, such as writer; extensions define it')
    .action(
      cli.run(async (out, options: InstanceOptions & { role?: string }) => {
        const { beings, hasFacet } = await import('@treeos/client/records')
        const { loadedRegistry, withReality } = await import('../instance/connection.ts')
        const { role } = options
        const passes = role === undefined ? undefined : hasFacet(await loadedRegistry(), 'role', role)
        out.value(await withReality(options, ({ db }) => beings(db, passes)), shownBeings)
      }),
    )
}
