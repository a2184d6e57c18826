/** The examples of a Markdown page: its shell blocks, command by command, with what they should print. */

export interface Step {
  /** line of the page, from 1 */
  readonly line: number
  /** shell text, possibly of several lines */
  readonly command: string
  /** null when the page shows no output: then the command only has to end well */
  readonly expected: readonly string[] | null
  /** it goes on while the next commands run */
  readonly stays: boolean
}

const FENCE = /^```(\w*)\s*$/
const SKIPPED = /^<!-- not run: .+ -->$/
const PROMPT = '$ '
const HEREDOC = /<<-?\s*'?"?([A-Za-z_]+)'?"?/
/** A comment that a page puts behind a command which holds its terminal. */
const ELSEWHERE = /#.*in another terminal/

/**
 * The steps of all blocks marked `sh` or `console`, in order. A block after `<!-- not run: why -->` is left
 * out.
 */
export function stepsOf(markdown: string): Step[] {
  const lines = markdown.split('\n')
  const steps: Step[] = []
  for (let i = 0; i < lines.length; i++) {
    const [, language] = FENCE.exec(lines[i] ?? '') ?? []
    if (language === undefined) continue
    const end = lines.findIndex((line, at) => at > i && line === '```')
    const before = lines.slice(0, i).findLast((line) => line.trim() !== '') ?? ''
    const block = lines.slice(i + 1, end)
    if (!SKIPPED.test(before)) {
      if (language === 'console') steps.push(...consoleSteps(block, i + 2))
      if (language === 'sh') steps.push(...shellSteps(block, i + 2))
    }
    i = end
  }
  return steps
}

/** Commands begin with `$ `. What follows one, up to the next, is its output. */
function consoleSteps(block: readonly string[], from: number): Step[] {
  const steps: Step[] = []
  for (let i = 0; i < block.length; ) {
    const line = from + i
    const taken = commandAt([block[i]?.slice(PROMPT.length) ?? '', ...block.slice(i + 1)])
    i += taken.length
    const rest = block.slice(i)
    const next = rest.findIndex((text) => text.startsWith(PROMPT))
    const output = rest.slice(0, next < 0 ? rest.length : next)
    i += output.length
    while (output.at(-1) === '') output.pop()
    steps.push(stepOf(line, taken, output.length === 0 ? null : output))
  }
  return steps
}

/** A block without output: its commands, each with the lines that belong to it. */
function shellSteps(block: readonly string[], from: number): Step[] {
  const steps: Step[] = []
  for (let i = 0; i < block.length; ) {
    const taken = commandAt(block.slice(i))
    if (taken.join('').trim() !== '' && !taken[0]?.startsWith('#')) steps.push(stepOf(from + i, taken, null))
    i += taken.length
  }
  return steps
}

function stepOf(line: number, taken: readonly string[], expected: readonly string[] | null): Step {
  const command = taken.join('\n')
  return { line, command, expected, stays: ELSEWHERE.test(taken[0] ?? '') }
}

/** The first command: with its heredoc, its continued lines, and the body of its loop. */
function commandAt(lines: readonly string[]): string[] {
  const taken: string[] = []
  let depth = 0
  for (const line of lines) {
    taken.push(line)
    const [, end] = HEREDOC.exec(line) ?? []
    if (end !== undefined) return [...taken, ...lines.slice(taken.length, lines.indexOf(end) + 1)]
    depth += (line.match(/\bdo\b(?=\s*$|\s+\S)/g) ?? []).filter(() => /\b(for|while)\b/.test(line)).length
    if (/\bdone\b/.test(line)) depth -= 1
    if (depth <= 0 && !line.endsWith('\\')) return taken
  }
  return taken
}

/**
 * Each in place of what differs between two runs: times, ids, hashes, numbers of facts and moments,
 * addresses.
 */
const PLACEHOLDERS: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?Z?/g, '<time>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<id>'],
  [/\b(?=[0-9a-f]*\d)[0-9a-f]{12,64}\b/g, '<hash>'],
  [/(\S+:\S+) +\d+ +<hash>/g, '$1 <n> <hash>'],
  [/\b([a-z][a-z0-9-]*)\/\d+\/\d+\b/g, '$1/<n>/<n>'],
  [/127\.0\.0\.1:\d+/g, '<address>'],
  [/[^\s`]*\/node_modules\/\.bin\/treeos\b/g, 'treeos'], // advice names the program as it is called from where the test runs
  [/\bprocess(es)? \d+/g, 'process$1 <n>'],
  [
    /\b\d+ (beings?|moments?|reels|facts|moment records|wakes?|open|acts?|entries|signed checkpoints)\b/g,
    '<n> $1',
  ],
  [/ +/g, ' '],
]

const steady = (line: string): string =>
  PLACEHOLDERS.reduce((text, [found, put]) => text.replace(found, put), line.trim())

/**
 * Whether a command printed what the page shows. `…` in a line stands for any text, and alone for any lines.
 * @returns null, or both texts with placeholders
 */
export function differenceOf(
  expected: readonly string[],
  printed: string,
): { readonly expected: string; readonly printed: string } | null {
  const wanted = expected.map(steady)
  const found = printed.trimEnd().split('\n').map(steady)
  const pattern = wanted
    .map((line) => (line === '…' ? '(?:[^\\n]*\\n)*' : `${escaped(line).replaceAll('…', '[^\\n]*')}\\n`))
    .join('')
  const isSame = new RegExp(`^${pattern}$`).test(`${found.join('\n')}\n`)
  return isSame ? null : { expected: wanted.join('\n'), printed: found.join('\n') }
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
