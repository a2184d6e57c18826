/** How the user can call the program that runs, so that each advice works where it is read. */
import { accessSync, constants, existsSync, readFileSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join, relative, resolve } from 'node:path'
import { shellWord } from '@treeos/local/shell-word'
import { userFolder } from './folder.ts'

interface Invocation {
  /** where the user stands */
  readonly folder?: string
  /** the file that runs */
  readonly file?: string
  /** the folders in which the shell looks for programs */
  readonly path?: string
}

/**
 * `treeos` where the shell finds this program, `npx treeos` where npx finds it in the folder or above, else
 * its path. npx would ask the registry for a name that it does not find, and run what somebody else published
 * under it.
 */
export function programName({
  folder = userFolder(),
  file = process.argv[1] ?? '',
  path = process.env.PATH ?? '',
}: Invocation = {}): string {
  if (path.split(delimiter).some((place) => !BINS.test(place) && isSameFile(join(place, 'treeos'), file)))
    return 'treeos'
  const installed = binAbove(dirname(file))
  const near = binAbove(folder)
  if (installed !== null && near !== null && programTarget(near) === programTarget(installed))
    return 'npx treeos'
  const program = installed ?? file
  const short = relative(folder, program)
  const called = shellWord(
    short.length < program.length ? (short.includes('/') ? short : `./${short}`) : program,
  )
  return isExecutable(program) ? called : `node ${called}`
}

/** `npx` and `npm run` put these on the PATH of what they start. A shell does not have them. */
const BINS = /[/\\]node_modules[/\\][.]bin[/\\]?$/

/** The nearest `node_modules/.bin/treeos` of this folder or one above. */
function binAbove(from: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const bin = join(folder, 'node_modules', '.bin', 'treeos')
    if (existsSync(bin)) return bin
    if (folder === dirname(folder)) return null
  }
}

/**
 * What such a file runs: the target of its link, or of the script that pnpm writes in the place of a link.
 */
function programTarget(bin: string): string {
  const file = realpathSync(bin)
  const target = /^# cmd-shim-target=(.+)$/m.exec(readFileSync(file, 'utf8'))?.[1]
  return target === undefined ? file : resolve(dirname(file), target)
}

function isSameFile(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other)
  } catch {
    return false // one of them is not there
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const COMMAND = /`treeos ([^`]+)`/g
/**
 * Text of a command that needs no `--data`: it works without an instance, names one already, or asks for
 * help.
 */
const WITHOUT_DATA =
  /--data\b|--help\b| -- |^(role|flow) (lint|compose|eval)\b|^(verify-overlay|completion|help)\b/

/**
 * Commands that a message names, as the user can call them.
 * @param flag the option by which the user named an instance, which the commands need too; empty for none
 */
export const spelled = (text: string, flag = ''): string =>
  text.replace(
    COMMAND,
    (_, command: string) => `\`${programName()} ${command}${WITHOUT_DATA.test(command) ? '' : flag}\``,
  )

/**
 * The same for a text in which each `treeos` before a word is the program, such as how to mend what a check
 * found.
 */
export const spelledAll = (text: string): string =>
  text.replace(/(?<![\w/.-])treeos (?=[a-z])/g, () => `${programName()} `)

/** The option by which these arguments name an instance, with a space before it; empty where they do not. */
export function namedData(args: readonly string[]): string {
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args
  const at = own.findLastIndex((arg) => arg === '--data' || arg.startsWith('--data='))
  const value = own[at]?.startsWith('--data=') ? own[at].slice('--data='.length) : own[at + 1]
  return at < 0 || value === undefined ? '' : ` --data ${shellWord(value)}`
}
