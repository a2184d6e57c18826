import type { Command } from 'commander'
import { FIRST_PAGE, TOPIC_NAMES, TOPICS, type Topic } from './places.ts'

/** How parts of a page look on a terminal. */
export interface HelpStyle {
  readonly title: (text: string) => string
  readonly command: (text: string) => string
}

/** A command of the help. */
export interface HelpEntry {
  /** with its path: `role set` */
  readonly name: string
  /** with its arguments: `role set <file>` */
  readonly usage: string
  readonly about: string
}

/** The one screen of `treeos --help`. */
export function firstPage(program: Command, style: HelpStyle): string {
  const sections = FIRST_PAGE.map(({ heading, commands }) => ({
    heading,
    entries: commands.map((path) => entryOf(path, requireCommand(program, path))),
  }))
  const width = widthOf(sections.flatMap(({ entries }) => entries))
  return [
    `${style.title('Usage:')} treeos [--json] [--data <dir>] <command>`,
    program.description(),
    ...sections.flatMap(({ heading, entries }) => [
      '',
      style.title(`${heading}:`),
      ...linesOf(entries, width, style),
    ]),
    '',
    `treeos help <topic> lists the others. Topics: ${TOPIC_NAMES.join(', ')}.`,
    'treeos help <command> shows its options, such as --json for programs; --version the version.',
    '',
  ].join('\n')
}

/** The topics, for `treeos help`. */
export function topicList(style: HelpStyle): string {
  const entries = TOPIC_NAMES.map((name) => ({ name, usage: name, about: TOPICS[name].about }))
  return [
    style.title('Topics:'),
    ...linesOf(entries, widthOf(entries), style),
    '',
    'treeos help <topic> lists its commands, and treeos help <command> shows one. treeos --help lists those of every day.',
  ].join('\n')
}

export function topicPage(program: Command, topic: Topic, style: HelpStyle): string {
  const entries = entriesOfTopic(program, topic)
  return [
    style.title(`${TOPICS[topic].about}:`),
    ...linesOf(entries, widthOf(entries), style),
    '',
    'treeos help <command> shows the options and examples of one.',
  ].join('\n')
}

/** The commands of a topic: of a group each of its commands, without those that have a place of their own. */
export function entriesOfTopic(program: Command, topic: Topic): HelpEntry[] {
  return TOPICS[topic].commands.flatMap((path) =>
    leavesAt(program, path).map(({ path, command }) => entryOf(path, command)),
  )
}

/** The command that a path names. */
export function findCommand(program: Command, words: readonly string[]): Command | null {
  let command = program
  for (const word of words) {
    const child = visibleIn(command).find((one) => one.name() === word)
    if (child === undefined) return null
    command = child
  }
  return command
}

/**
 * The commands that do something at or below a path, with their paths: `role set`. Hidden ones are left out.
 */
export function leaves(command: Command, path = ''): { readonly path: string; readonly command: Command }[] {
  if (command.commands.length === 0) return [{ path, command }]
  return visibleIn(command).flatMap((child) =>
    leaves(child, path === '' ? child.name() : `${path} ${child.name()}`),
  )
}

/** The commands that help lists. */
export const visibleIn = (command: Command): readonly Command[] =>
  command.createHelp().visibleCommands(command)

const OWN_PLACES: ReadonlySet<string> = new Set([
  ...FIRST_PAGE.flatMap(({ commands }) => commands),
  ...TOPIC_NAMES.flatMap((topic) => TOPICS[topic].commands),
])

const leavesAt = (program: Command, place: string) =>
  leaves(requireCommand(program, place), place).filter(({ path }) => path === place || !OWN_PLACES.has(path))

function requireCommand(program: Command, path: string): Command {
  const command = findCommand(program, path.split(' '))
  if (command === null) throw new Error(`the help lists a command ${path} that there is not`)
  return command
}

function entryOf(path: string, command: Command): HelpEntry {
  const args = command.registeredArguments.map((one) => {
    const name = `${one.name()}${one.variadic ? '...' : ''}`
    return one.required ? `<${name}>` : `[${name}]`
  })
  return { name: path, usage: [path, ...args].join(' '), about: command.summary() }
}

const widthOf = (entries: readonly HelpEntry[]): number =>
  Math.max(...entries.map(({ usage }) => usage.length))

const linesOf = (entries: readonly HelpEntry[], width: number, style: HelpStyle): string[] =>
  entries.map(({ usage, about }) => `  ${style.command(usage)}${' '.repeat(width - usage.length)}  ${about}`)
