import { Option } from 'commander'
import type { Cli, InstanceOptions } from '../cli.ts'

interface UpOptions extends InstanceOptions {
  readonly detach?: boolean
  readonly supervise?: boolean
  readonly portal: boolean
  readonly demo?: string
  readonly bind?: string
}

interface WorkerCommandOptions extends InstanceOptions {
  readonly build?: string
  readonly deployment?: string
}

/** `treeos up | down | status | worker | doctor` */
export function addRunning(cli: Cli): void {
  cli
    .onInstance('up', 'start everything an instance needs, and stay until Ctrl-C')
    .option('--detach', 'return when everything runs; `treeos down` stops it')
    .option('--no-portal', 'do not start the portal')
    .option(
      '--bind <address>',
      'let workers on other machines reach Temporal here; they then need its certificate',
    )
    .option('--demo <name>', 'plant a small example world, such as court')
    .addOption(new Option('--supervise', 'look after an instance that was started detached').hideHelp())
    .action(
      cli.run(async (out, options: UpOptions) => {
        const demo =
          options.demo === undefined
            ? null
            : await (await import('../instance/demo.ts')).requireDemo(options.demo)
        // The supervisor of a detached instance is started with it too.
        if (options.bind !== undefined) process.env.TREEOS_BIND = options.bind
        const { dataDirOf } = await import('../instance/instance.ts')
        if (options.supervise === true) {
          const { supervise } = await import('../instance/supervisor.ts')
          return supervise(dataDirOf(options), (line) => out.progress(line))
        }
        const { up } = await import('./shared/up.ts')
        const { detach = false, portal } = options
        return up({ dataDir: dataDirOf(options), detach, portal, demo, out })
      }),
    )
  cli.onInstance('down', 'stop everything that an instance runs').action(
    cli.run(async (out, options: InstanceOptions) => {
      const { dataDirOf } = await import('../instance/instance.ts')
      const { down } = await import('./shared/down.ts')
      return down(dataDirOf(options), out)
    }),
  )
  cli.onInstance('status', 'show what runs, where, and how well').action(
    cli.run(async (out, options: InstanceOptions) => {
      const { dataDirOf } = await import('../instance/instance.ts')
      const { describeStatus, readStatus } = await import('../health/status.ts')
      const dataDir = dataDirOf(options)
      out.value(await readStatus(dataDir), (status) => describeStatus(status, dataDir))
    }),
  )
  const worker = cli.onInstance('worker', 'run one more worker process on the same instance until Ctrl-C')
  worker.option('--build <id>', "the version of this worker, for Temporal's Worker Versioning; default none")
  worker.option(
    '--deployment <name>',
    'of which deployment it is a version; default the task queue of the reality',
  )
  worker.action(
    cli.run(async (out, options: WorkerCommandOptions) => {
      if (options.build !== undefined) process.env.TEMPORAL_WORKER_BUILD_ID = options.build
      if (options.deployment !== undefined) process.env.TEMPORAL_DEPLOYMENT_NAME = options.deployment
      const { dataDirOf } = await import('../instance/instance.ts')
      const { runWorker } = await import('./shared/one-more-worker.ts')
      return runWorker(dataDirOf(options), out)
    }),
  )
  cli.onInstance('doctor', 'check what is missing or wrong, and show the command that repairs it').action(
    cli.run(async (out, options: InstanceOptions) => {
      const { dataDirOf } = await import('../instance/instance.ts')
      const { describeChecks, examine } = await import('../health/doctor.ts')
      const examined = await examine(dataDirOf(options))
      out.value(examined, describeChecks)
      return examined.ok ? 0 : 1
    }),
  )
}
