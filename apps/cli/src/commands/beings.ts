import type { Cli, InstanceOptions } from '../cli.ts'
import { shownBeings } from './shared/show.ts'

/** `treeos beings` */
export function addBeings(cli: Cli): void {
  cli
    .onInstance('beings', 'list all beings')
    .option('--role <role>', 'only children with this role: generalist, writer, analyst, guardian or another')
    .action(
      cli.run(async (out, options: InstanceOptions & { role?: string }) => {
        const { beings } = await import('@treeos/client/records')
        const { withReality } = await import('../instance/connection.ts')
        const { role } = options
        out.value(
          await withReality(options, ({ db }) => beings(db, role === undefined ? {} : { role })),
          shownBeings,
        )
      }),
    )
}
