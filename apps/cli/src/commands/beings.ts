import type { Cli, InstanceOptions } from '../cli.ts'
import { withReality, withRegistry } from '../instance/with-instance.ts'
import { shownBeings } from '../show/world.ts'

/** `treeos beings` */
export function addBeings(cli: Cli): void {
  cli
    .onInstance('beings', 'list all beings')
    .option(
      '--role <role>',
      'only those with this default role, or children with this profile, such as writer',
    )
    .action(
      cli.run(async (out, { role, ...options }: InstanceOptions & { role?: string }) => {
        const listed =
          role === undefined
            ? withReality(options, ({ db }, { beings }) => beings(db))
            : withRegistry(options, ({ db, registry }, { beings, hasRole }) =>
                beings(db, hasRole(registry, role)),
              )
        out.value(await listed, shownBeings)
      }),
    )
}
