import type { Cli, InstanceOptions } from '../cli.ts'
import { serve } from '../served/serve.ts'
import { BEINGS } from '../served/world.ts'
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
        out.value(await serve(options, BEINGS, { role }), shownBeings)
      }),
    )
}
