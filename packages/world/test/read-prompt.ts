import type { Prompt } from '@treeos/signature'

/** What a program finds in the two messages of a moment, without knowing anything else of it. */
export interface ReadPrompt {
  readonly kind: string
  /** stance; null when nobody speaks */
  readonly from: string | null
  readonly role: string | null
  readonly thread: string
  readonly time: string
  /** what is data, by the name of its view, as text */
  readonly data: readonly (readonly [name: string, body: string])[]
  readonly words: string
}

const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/u

/** Splits at every line break that any reader knows, and reads headings, their bodies and the fields of `[Wake]`. */
export function readPrompt({ system, user }: Prompt): ReadPrompt {
  const lines = system.split(LINE_BREAK)
  const blocks = lines.flatMap((line, i): [string, string[]][] => {
    const heading = /^\[([A-Za-z][A-Za-z0-9-]*)\](.*)$/.exec(line)
    if (heading === null) return []
    const end = lines.indexOf('', i)
    return [[heading[1] ?? '', [heading[2] ?? '', ...lines.slice(i + 1, end < 0 ? undefined : end)]]]
  })
  const only = (name: string): string[] => {
    const found = blocks.filter(([heading]) => heading === name)
    if (found.length !== 1) throw new Error(`the prompt has ${found.length} blocks [${name}]`)
    return found[0]?.[1] ?? []
  }
  const wake = only('Wake')
  const field = (name: string): string | null => {
    const line = wake.find((text) => text.startsWith(`${name}: `))
    return line === undefined ? null : plain(line.slice(name.length + 2))
  }
  const [time = ''] = only('Time')
  const from = field('from')
  return {
    kind: field('kind') ?? '',
    from: from === 'nobody' ? null : from,
    role: field('role'),
    thread: field('thread') ?? '',
    time: time.trim(),
    data: blocks
      .filter(([name]) => name !== 'Wake' && name !== 'Time')
      .map(([name, body]) => [name, body.slice(1).join('\n')]),
    words: user,
  }
}

const plain = (text: string): string => (text.startsWith('"') ? (JSON.parse(text) as string) : text)
