import type { Cli, InstanceOptions } from '../cli.ts'
import { withReality } from '../instance/with-instance.ts'
import { serve } from '../served/serve.ts'
import { EXTENSIONS } from '../served/tools.ts'
import { OPERATIONS } from '../served/world.ts'
import { shownExtensions, shownOperations, shownUse, shownVersions } from '../show/world.ts'

/** `treeos extensions | extension versions | extension use | extension end | operations` */
export function addExtensions(cli: Cli): void {
  cli.onInstance('extensions', 'list the extensions, and what each brings').action(
    cli.run(async (out, options: InstanceOptions) => {
      out.value(await serve(options, EXTENSIONS, {}), shownExtensions)
    }),
  )
  cli.describeGroup('extension', 'which version of an extension is current, and its end')
  cli
    .onInstance('versions', 'list versions of extensions, and the workers that have them', 'extension')
    .action(
      cli.run(async (out, options: InstanceOptions) => {
        const { listExtensionVersions } = await import('@treeos/reality')
        out.value(await withReality(options, listExtensionVersions), shownVersions)
      }),
    )
  cli.onInstance('use <name> <version>', 'make a version current, also an older one', 'extension').action(
    cli.run(async (out, name: string, version: string, options: InstanceOptions) => {
      const [{ useExtension }, { asOwner }] = await Promise.all([
        import('@treeos/reality'),
        import('../instance/connection.ts'),
      ])
      const used = await withReality(options, (at) =>
        asOwner(options, (owner) => useExtension({ ...at, db: owner }, name, version)),
      )
      out.value({ extension: name, version, ...used }, shownUse)
    }),
  )
  cli
    .onInstance('end <name>', 'end an extension that was removed for good, with its roles', 'extension')
    .action(
      cli.run(async (out, name: string, options: InstanceOptions) => {
        const { endExtensionOf } = await import('../instance/ended-extension.ts')
        const roles = await endExtensionOf(options, name)
        out.value({ extension: name, roles }, ({ roles: ended }) =>
          ended.length === 0 ? `ended ${name}` : `ended ${ended.join(', ')}`,
        )
      }),
    )
  cli.onInstance('operations', 'list all operations and their arguments').action(
    cli.run(async (out, options: InstanceOptions) => {
      out.value(await serve(options, OPERATIONS, {}), shownOperations)
    }),
  )
}
