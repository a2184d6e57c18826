import type { Cli, InstanceOptions } from '../cli.ts'
import { shownExtensions, shownOperations } from './shared/show.ts'

/** `treeos extensions | extension end | operations` */
export function addExtensions(cli: Cli): void {
  cli.command('extensions', 'list the extensions, and what each brings').action(
    cli.run(async (out) => {
      const { listExtensions } = await import('./shared/queries.ts')
      out.value(await listExtensions(), shownExtensions)
    }),
  )
  cli.describeGroup('extension', 'what an extension leaves behind')
  cli.onInstance('end <name>', 'end the roles of an extension that was removed for good', 'extension').action(
    cli.run(async (out, name: string, options: InstanceOptions) => {
      const { endExtension } = await import('@treeos/reality')
      const { loadedRegistry, withReality } = await import('../instance/connection.ts')
      const registry = await loadedRegistry()
      const roles = await withReality(options, (at) => endExtension({ ...at, registry }, name))
      out.value({ extension: name, roles }, (ended) => `ended ${ended.roles.join(', ')}`)
    }),
  )
  cli.command('operations', 'list all operations and their arguments').action(
    cli.run(async (out) => {
      const { listOperations } = await import('./shared/queries.ts')
      out.value(await listOperations(), shownOperations)
    }),
  )
}
