import { styleText } from 'node:util'
import { CODE_VERSION } from '@treeos/core'
import { Command, CommanderError } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { EXAMPLES } from './examples.ts'
import { firstPage, type HelpStyle, leaves } from './help/pages.ts'
import { type Login, readLogin } from './login/stored-login.ts'
import { loginAs, needsDatabase } from './login/who-acts.ts'
import { insteadOf, servedBy } from './served/served-by.ts'
import { UsageError } from './text/failure.ts'
import { userPath } from './text/folder.ts'
import type { ExitStatus, Output } from './text/output.ts'

/** Options of every command that works on an instance. */
export interface InstanceOptions {
  readonly data?: string
  /** of somebody who is logged in to a portal, and names no instance: the API serves the command */
  readonly login?: Login
}

/** Options of each command in which a being acts or reads. */
export interface ActingOptions extends InstanceOptions {
  readonly as: string
}

// biome-ignore lint/suspicious/noConfusingVoidType: a command that returns nothing ends with 0
type Action<A extends unknown[]> = (out: Output, ...args: A) => Promise<ExitStatus | void>

const DATA = 'folder of the instance (default: TREEOS_DATA, or .treeos here or above)'

/** The colours of the help. They are taken out again where stdout is not a terminal, or NO_COLOR is set. */
const STYLE: HelpStyle = {
  title: (text) => styleText('bold', text, { validateStream: false }),
  command: (text) => styleText('cyan', text, { validateStream: false }),
}

/**
 * Values of these names are paths: `<file>`, `[dir]`. A path in the world has another name, such as
 * `<space>`.
 */
const PATHS: readonly string[] = ['file', 'dir']

/**
 * A path counts from where the user stands. The process may stand elsewhere: in the folder of its instance,
 * or in that of a package. `-` stays as it is, for standard input.
 */
function standWhereUserDoes(command: Command): void {
  const here = (value: unknown) => (typeof value === 'string' && value !== '-' ? userPath(value) : value)
  for (const option of command.options) {
    const name = /[<[]([^>\]]+)/.exec(option.flags)?.[1]
    const key = option.attributeName()
    if (name !== undefined && PATHS.includes(name) && command.getOptionValueSource(key) === 'cli')
      command.setOptionValue(key, here(command.getOptionValue(key)))
  }
  command.processedArgs = command.processedArgs.map((value, i) =>
    PATHS.includes(command.registeredArguments[i]?.name() ?? '') ? here(value) : value,
  )
}

/** The path of a command: `role set`. */
function pathOf(command: Command): string {
  const names: string[] = []
  for (let at: Command | null = command; at?.parent != null; at = at.parent) names.unshift(at.name())
  return names.join(' ')
}

/** Lists show the first line of a description, its own help all of it. */
function describe(command: Command, description: string): Command {
  const [summary = ''] = description.split('\n')
  return command.summary(summary).description(description)
}

/**
 * The tree of commands, with what they share. The files that add commands load what a command needs only when
 * it runs.
 */
export class Cli {
  readonly program: Command
  readonly #out: Output
  readonly #groups = new Map<string, Command>()
  status: ExitStatus = 0

  constructor(out: Output) {
    this.#out = out
    this.program = new Command('treeos')
      .description('Run a world of beings, act in it, and inspect what happened.')
      .option('--json', 'print JSON on stdout, and nothing else')
      .option('--data <dir>', DATA)
      .option('-V, --version', 'print the version')
      .on('option:version', () => this.#tellVersion())
      .exitOverride()
      .configureOutput({ writeErr: () => undefined }) // our own form is printed instead
      .configureHelp({
        styleTitle: STYLE.title,
        styleCommandText: STYLE.command,
        styleSubcommandText: STYLE.command,
        styleOptionText: STYLE.command,
      })
      .helpCommand(false)
      .hook('preAction', (_, command) => {
        standWhereUserDoes(command)
        this.#chooseWay(command)
      })
    const commandHelp = this.program.createHelp
    this.program.createHelp = () => {
      const help = commandHelp.call(this.program)
      help.formatHelp = () => firstPage(this.program, STYLE)
      return help
    }
  }

  /**
   * A command of its own, or of a group: `role set <file>`.
   * @param description its first line stands in lists; lines below it only in the help of the command
   * @param isDefault the group without a command means this one: `inbox` is `inbox list`
   */
  command(usage: string, description: string, group = '', isDefault = false): Command {
    return describe(this.#parent(group).command(usage, { isDefault }), description).option(
      '--json',
      'print JSON on stdout, and nothing else',
    )
  }

  /** A command on an instance. */
  onInstance(usage: string, description: string, group = '', isDefault = false): Command {
    return this.command(usage, description, group, isDefault).option('--data <dir>', DATA)
  }

  /** A command in which a being acts or reads. */
  asBeing(usage: string, description: string, group = '', isDefault = false): Command {
    return this.onInstance(usage, description, group, isDefault).option(
      '--as <stance>',
      'the being that acts',
      '@operator',
    )
  }

  describeGroup(name: string, description: string): void {
    describe(this.#parent(name), description)
  }

  /** Ends the help of each command with its examples. */
  showExamples(): void {
    for (const { path, command } of leaves(this.program)) {
      const examples = EXAMPLES[path] ?? []
      if (examples.length > 0)
        command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  $ ${line}`).join('\n')}`)
    }
  }

  run<A extends unknown[]>(action: Action<A>): (...args: A) => Promise<void> {
    return async (...args) => {
      this.#handOn(args)
      this.status = (await action(this.#out, ...args)) ?? 0
    }
  }

  /**
   * A command goes by the API where its user is logged in and names no instance.
   * @throws {TreeosError} where nothing but the database serves it
   */
  #chooseWay(command: Command): void {
    const path = pathOf(command)
    const by = servedBy(path, command.opts())
    const { data } = { ...this.program.opts<InstanceOptions>(), ...command.opts<InstanceOptions>() }
    if (by === 'alone' || data !== undefined || process.env.TREEOS_DATA) return
    const login = readLogin()
    if (login === null) return
    if (by === 'database') throw needsDatabase(path, login, insteadOf(path))
    const acts = command.options.some(({ long }) => long === '--as')
    const isNamed = acts && command.getOptionValueSource('as') !== 'default'
    const acting = loginAs(login, isNamed ? String(command.getOptionValue('as')) : null)
    command.setOptionValue('login', acting)
    if (acts) command.setOptionValue('as', acting.as ?? acting.being)
  }

  /** An option that stands before the command is of that command. */
  #handOn(args: readonly unknown[]): void {
    const { data } = this.program.opts<InstanceOptions>()
    const command = args.at(-1)
    if (data === undefined || !(command instanceof Command)) return
    if (!command.options.some(({ long }) => long === '--data'))
      throw new UsageError(`\`${command.name()}\` works on no instance, so it takes no --data`)
    command.setOptionValue('data', userPath(data))
  }

  #tellVersion(): never {
    const { version } = manifest
    const told = { version, code: CODE_VERSION, node: process.versions.node }
    this.#out.value(told, () => `${version} (facts of ${told.code}, Node ${told.node})`)
    throw new CommanderError(0, 'commander.version', version) // as commander ends its own
  }

  #parent(group: string): Command {
    if (group === '') return this.program
    const known = this.#groups.get(group)
    if (known !== undefined) return known
    const made = this.program.command(group).helpCommand(false)
    this.#groups.set(group, made)
    return made
  }
}
