import { Option } from 'commander'
import type { Cli, InstanceOptions } from '../cli.ts'
import { readLogin } from '../login/stored-login.ts'

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
  addUp(cli)
  cli.onInstance('down', 'stop everything that an instance runs').action(
    cli.run(async (out, options: InstanceOptions) => {
      const { instanceDir, stopInstance } = await import('@treeos/local')
      const dataDir = instanceDir(options)
      const stopped = await stopInstance(dataDir, (line) => out.progress(line))
      out.value({ stopped }, () =>
        stopped.length === 0
          ? `nothing runs in ${dataDir}`
          : stopped.map(({ name, end }) => `${name} ${end}`).join('\n'),
      )
    }),
  )
  cli.onInstance('status', 'show what runs, where, and how well').action(
    cli.run(async (out, options: InstanceOptions) => {
      const { instanceDir } = await import('@treeos/local')
      const { readStatus } = await import('../health/status.ts')
      const { describeStatus } = await import('../show/status.ts')
      const dataDir = instanceDir(options)
      const { token: _, ...login } = readLogin() ?? { token: null }
      const status = { ...(await readStatus(dataDir)), login: 'url' in login ? login : null }
      out.value(status, () => describeStatus(status, dataDir, status.login))
    }),
  )
  addWorker(cli)
  cli.onInstance('doctor', 'check what is missing or wrong, and show the command that repairs it').action(
    cli.run(async (out, options: InstanceOptions) => {
      const { instanceDir } = await import('@treeos/local')
      const { examine } = await import('../health/doctor.ts')
      const { describeChecks } = await import('../show/checks.ts')
      const examined = await examine(instanceDir(options))
      out.value(examined, describeChecks)
      return examined.ok ? 0 : 1
    }),
  )
}

function addUp(cli: Cli): void {
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
        const { instanceDir } = await import('@treeos/local')
        if (options.supervise === true) {
          const { supervise } = await import('@treeos/local')
          const { programs } = await import('../instance/programs.ts')
          const onProgress = (line: string) => out.progress(line)
          return supervise({ dataDir: instanceDir(options), programs, onProgress })
        }
        const { bringUp } = await import('./shared/bring-up.ts')
        const { detach = false, portal } = options
        return bringUp(instanceDir(options), { detach, portal, demo }, out)
      }),
    )
}

function addWorker(cli: Cli): void {
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
      const { instanceDir, runWorker } = await import('@treeos/local')
      const { programs } = await import('../instance/programs.ts')
      const { plain } = await import('../text/output.ts')
      const show = (line: string) => process.stdout.write(`${plain(line)}\n`)
      const end = await runWorker(instanceDir(options), programs.worker, show)
      const { TreeosError } = await import('@treeos/core')
      if (end !== null) throw new TreeosError('INTERNAL', `the worker ended with ${end}`)
      out.progress('the worker stopped')
    }),
  )
}
