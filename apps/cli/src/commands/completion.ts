import { Argument, type Command, type Option } from 'commander'
import type { Cli } from '../cli.ts'
import { findCommand, visibleIn } from '../help/pages.ts'
import { TOPIC_NAMES, TOPICS } from '../help/places.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

/** `treeos completion`: a script for the user's shell, and the hidden command that this script calls. */
export function addCompletion(cli: Cli): void {
  cli
    .command('completion', 'print the script that completes commands and options in your shell')
    .addArgument(new Argument('<shell>', 'your shell').choices([...SHELLS]))
    .action(
      cli.run(async (out, shell: Shell) => {
        const { shellWord } = await import('@treeos/local')
        const us = [process.execPath, process.argv[1] ?? 'treeos'].map(shellWord).join(' ')
        const script = SCRIPTS[shell](us)
        out.value({ shell, script }, () => script)
      }),
    )
  cli.program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action(
      cli.run(async (out, words: string[]) => {
        const candidates = complete(cli.program, words)
        out.value(candidates, () => candidates.map(({ value, about }) => `${value}\t${about}`).join('\n'))
      }),
    )
}

export interface Candidate {
  readonly value: string
  readonly about: string
}

/**
 * What may stand at the cursor.
 * @param words what follows `treeos`, up to the cursor; the last one is the word under the cursor, and may be
 *   empty
 * @returns nothing where a free text or a file stands: the shell then offers files
 */
export function complete(program: Command, words: readonly string[]): Candidate[] {
  const at = words.at(-1) ?? ''
  const { command, argument, option } = walk(program, words.slice(0, -1))
  const all =
    option !== null
      ? choices(option)
      : at.startsWith('-')
        ? optionsOf(command)
        : command.name() === 'help'
          ? helped(program, words.slice(words.indexOf('help') + 1, -1))
          : [
              ...(argument === 0 ? commandsOf(command) : []),
              ...choices(command.registeredArguments[argument]),
            ]
  return all.filter(({ value }) => value.startsWith(at))
}

/**
 * The command that some words name, the number of its arguments among them, and an option that waits for its
 * value.
 */
function walk(program: Command, words: readonly string[]) {
  let command = program
  let argument = 0
  let option: Option | null = null
  for (const word of words) {
    if (option !== null) {
      option = null
    } else if (word.startsWith('-')) {
      const named = command.options.find((one) => one.long === word || one.short === word)
      option = named?.required === true ? named : null
    } else {
      const child = command.commands.find((one) => one.name() === word)
      if (child === undefined) argument++
      else command = child
    }
  }
  return { command, argument, option }
}

const choices = (of: Option | Argument | undefined): Candidate[] =>
  (of?.argChoices ?? []).map((value) => ({ value, about: of?.description ?? '' }))

const commandsOf = (command: Command): Candidate[] =>
  visibleIn(command).map((one) => ({ value: one.name(), about: one.summary() }))

/** What `treeos help` takes after these words: at first a topic or a command, then a command of the group. */
function helped(program: Command, words: readonly string[]): Candidate[] {
  const topics = words.length > 0 ? [] : TOPIC_NAMES.map((value) => ({ value, about: TOPICS[value].about }))
  const command = findCommand(program, words)
  return [...topics, ...(command === null ? [] : commandsOf(command))]
}

const optionsOf = (command: Command): Candidate[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .map((one) => ({ value: one.long ?? one.flags, about: one.description }))

/** Each calls us for every press of Tab, with the words up to the cursor. */
const SCRIPTS: Record<Shell, (us: string) => string> = {
  bash: (us) => `_treeos() {
  local IFS=$'\\n'
  COMPREPLY=($(${us} __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _treeos treeos`,
  zsh: (us) => `#compdef treeos
_treeos() {
  local -a found
  found=("\${(@f)$(${us} __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null | cut -f1)}")
  if [[ -n "$found" ]]; then compadd -- $found; else _files; fi
}
compdef _treeos treeos`,
  fish: (us) => `function __treeos_complete
  set -l words (commandline -opc) (commandline -ct)
  ${us} __complete -- $words[2..-1] 2>/dev/null
end
complete -c treeos -a '(__treeos_complete)'`,
}
