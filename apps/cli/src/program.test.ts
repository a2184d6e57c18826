import { spawnSync } from 'node:child_process'
import { expect, it, vi } from 'vitest'
import { complete } from './commands/completion.ts'
import { EXAMPLES } from './examples.ts'
import { leaves } from './help/pages.ts'
import { createCli } from './program.ts'
import { Output } from './text/output.ts'

vi.stubEnv('XDG_CONFIG_HOME', '/nowhere') // whoever runs this may be logged in
const out = new Output(false)
const program = () => createCli(out).program
const paths = leaves(program()).map(({ path }) => path)

it('every command has an example, and every example a command', () => {
  expect(Object.keys(EXAMPLES).sort()).toEqual([...paths].sort())
})

/** The arguments of the one call of `treeos` in a line of shell. */
function argumentsIn(line: string): string[] {
  const recorder = 'treeos() { printf "%s\\0" "$@" >&3; }'
  const script = `${recorder}\nexec 3>&1 >/dev/null\n${line.replace(/ < \S+$/, '').replace(/\| source$/, '')}\nwait`
  const quiet = script.replace('git log', 'true')
  const { stdout, stderr, status } = spawnSync('bash', ['-c', quiet], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout.split('\0').slice(0, -1)
}

it.each(Object.entries(EXAMPLES).flatMap(([path, lines]) => lines.map((line) => ({ path, line }))))(
  'the example of $path parses: $line',
  async ({ path, line }) => {
    const root = program()
    let ran = ''
    for (const leaf of leaves(root)) {
      leaf.command.action(() => {
        ran = leaf.path
      })
    }
    await root.parseAsync(argumentsIn(line), { from: 'user' })
    expect(ran).toBe(path)
  },
)

it('help of a command ends with its examples', () => {
  const { command } = leaves(program()).find(({ path }) => path === 'role set')!
  let help = ''
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
  expect(help).toMatch(
    /\nExamples:\n {2}\$ treeos role set judge\.json\n {2}\$ treeos role set judge\.json --trial lines\.jsonl\n$/,
  )
})

it.each([
  { words: ['st'], found: ['status'] },
  {
    words: ['role', ''],
    found: ['list', 'show', 'versions', 'set', 'delete', 'default', 'rename', 'lint', 'compose'],
  },
  { words: ['up', '--de'], found: ['--detach', '--demo'] },
  { words: ['up', '--super'], found: [] },
  { words: ['summon', '@echo', 'hi', '--priority', ''], found: ['human', 'interactive', 'background'] },
  { words: ['summon', '--as', '@ann', '--prio'], found: ['--priority'] },
  { words: ['completion', ''], found: ['bash', 'zsh', 'fish'] },
  { words: ['he'], found: ['help'] },
  { words: ['help', 'a'], found: ['audit', 'accept-difference', 'approvals', 'approve'] },
  { words: ['help', 'what'], found: ['what-if', 'whatif'] },
  { words: ['help', 'flow', ''], found: ['get', 'set', 'lint', 'eval'] },
  { words: ['help', '--'], found: ['--json', '--help'] },
  { words: ['role', 'set', ''], found: [] },
  { words: ['__'], found: [] },
  { words: ['nonsense', ''], found: [] },
])('completes $words', ({ words, found }) => {
  expect(complete(program(), words).map(({ value }) => value)).toEqual(found)
})
