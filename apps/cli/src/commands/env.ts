import { Option } from 'commander'
import type { Cli, InstanceOptions } from '../cli.ts'

interface EnvOptions extends InstanceOptions {
  readonly for?: 'worker' | 'client'
  readonly secrets?: boolean
}

/** `treeos env` */
export function addEnv(cli: Cli): void {
  cli
    .onInstance('env', 'print what a worker or client of your own needs, as NAME=value lines')
    .addOption(
      new Option('--for <program>', 'only what one of them needs (default: all)').choices([
        'worker',
        'client',
      ]),
    )
    .option('--secrets', 'also print values with passwords where standard output is not a terminal')
    .action(
      cli.run(async (out, { for: program, secrets = false, ...options }: EnvOptions) => {
        const { instanceDir, ownVariables, shellWord } = await import('@treeos/local')
        const { openReality } = await import('../instance/connection.ts')
        const wanted = ownVariables(instanceDir(options)).filter(
          ({ for: of }) => program === undefined || of === 'both' || of === program,
        )
        const isShown = secrets || process.stdout.isTTY === true
        const shown = wanted.filter(({ isSecret }) => isShown || !isSecret)
        const left = wanted.filter((variable) => !shown.includes(variable)).map(({ name }) => name)
        const taskQueue = await openReality(options, async ({ reality }) => reality.taskQueue)
        if (left.length > 0)
          out.progress(`left out, since they hold passwords: ${left.join(', ')}; --secrets prints them`)
        if (program !== 'client')
          out.progress(
            `the beings of this instance wait in the task queue ${taskQueue}: a worker of your own that polls it beside those of \`treeos up\` takes moments of all of them, and hands on those that need an extension that it has not loaded`,
          )
        const variables = Object.fromEntries(shown.map(({ name, value }) => [name, value]))
        out.value({ variables, leftOut: left, taskQueue }, () =>
          shown.map(({ name, value }) => `${name}=${shellWord(value)}`).join('\n'),
        )
      }),
    )
}
