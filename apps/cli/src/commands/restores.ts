import type { Cli, InstanceOptions } from '../cli.ts'
import { withReality } from '../instance/with-instance.ts'

/** `treeos restored` */
export function addRestored(cli: Cli): void {
  cli
    .onInstance(
      'restored',
      'begin all lives anew after a restore of Postgres\nEach being gets a generation that no moment has, so ids of moments after the restore are new. Workers notice by ' +
        'themselves a recovery from a backup (another timeline of Postgres) and another server.',
    )
    .action(
      cli.run(async (out, options: InstanceOptions) => {
        const [{ tellRestore }, { asOwner }] = await Promise.all([
          import('@treeos/store'),
          import('../instance/connection.ts'),
        ])
        const lives = await withReality(options, () => asOwner(options, tellRestore))
        out.value({ lives }, () => `${lives} beings begin new lives`)
      }),
    )
}
