import { Option } from 'commander'
import type { Cli, InstanceOptions } from '../cli.ts'

interface DevOptions extends InstanceOptions {
  readonly demo?: string
  readonly plant?: boolean
  readonly portal: boolean
}

/** `treeos dev` */
export function addDev(cli: Cli): void {
  cli
    .onInstance(
      'dev',
      'run an instance that loads your extension again at each change\nIt brings the instance up and stays until Ctrl-C.',
    )
    .option('--demo <name>', 'plant this scene, and again whenever it has changed')
    .option('--no-portal', 'do not start the portal')
    .addOption(new Option('--plant', 'only plant the scene, with the code as it is now').hideHelp())
    .action(
      cli.run(async (out, options: DevOptions) => {
        const { instanceDir } = await import('@treeos/local')
        const dataDir = instanceDir(options)
        if (options.plant === true) {
          const { plantDemo, requireDemo } = await import('../instance/demo.ts')
          return plantDemo(dataDir, await requireDemo(options.demo ?? ''), out, { again: true })
        }
        const { develop } = await import('./shared/develop.ts')
        await develop(dataDir, { demo: options.demo ?? null, portal: options.portal }, out)
      }),
    )
}
