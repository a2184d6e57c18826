import type { Cli, InstanceOptions } from '../cli.ts'
import { withRegistry } from '../instance/with-instance.ts'
import { serve } from '../served/serve.ts'
import { OPERATIONS } from '../served/world.ts'
import { shownExtensions, shownOperations } from '../show/world.ts'

/** `treeos extensions | extension end | operations` */
export function addExtensions(cli: Cli): void {
  cli.onInstance('extensions', 'list the extensions, and what each brings').action(
    cli.run(async (out, options: InstanceOptions) => {
      const { listExtensions } = await import('../instance/extension-lists.ts')
      out.value(await listExtensions(options), shownExtensions)
    }),
  )
  cli.describeGroup('extension', 'what an extension leaves behind')
  cli.onInstance('end <name>', 'end the roles of an extension that was removed for good', 'extension').action(
    cli.run(async (out, name: string, options: InstanceOptions) => {
      const [{ endExtension }, { asOwner }] = await Promise.all([
        import('@treeos/reality'),
        import('../instance/connection.ts'),
      ])
      const roles = await withRegistry(options, (at) =>
        asOwner(options, (owner) => endExtension({ ...at, db: owner }, name)),
      )
      out.value({ extension: name, roles }, (ended) => `ended ${ended.roles.join(', ')}`)
    }),
  )
  cli.onInstance('operations', 'list all operations and their arguments').action(
    cli.run(async (out, options: InstanceOptions) => {
      out.value(await serve(options, OPERATIONS, {}), shownOperations)
    }),
  )
}
