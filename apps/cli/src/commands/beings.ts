import type { Cli, InstanceOptions } from '../cli.ts'
import { shownBeings } from './shared/show.ts'

/** `treeos beings` */
export function addBeings(cli: Cli): void {
  cli.onInstance('beings', 'list all beings').action(
    cli.run(async (out, options: InstanceOptions) => {
      const { beings } = await import('@treeos/client/records')
      const { withReality } = await import('../instance/connection.ts')
      out.value(await withReality(options, ({ db }) => beings(db)), shownBeings)
    }),
  )
}
