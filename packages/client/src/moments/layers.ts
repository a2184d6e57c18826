/** A part of a prompt, with where it comes from. */
export interface Layer {
  readonly title: string
  readonly origin: string
  readonly text: string
}

/**
 * Divides a prompt into its parts. A line that begins with `[` and a letter is always a heading of TreeOS: no
 * value, no name and no role can make one.
 */
export function layersOf(system: string): Layer[] {
  const blocks = system.split(/\n\n(?=\[[A-Za-z]|and can:|The blocks that begin with a name in brackets)/)
  return blocks.flatMap((block, i): Layer[] => {
    const [, heading] = /^\[([A-Za-z][^\]\n]*)\]/.exec(block) ?? []
    if (heading === 'Time') return [{ title: 'Time', origin: 'recorded when the moment opened', text: block }]
    if (heading === 'Wake') return [{ title: 'Wake', origin: 'rows: what woke it, who speaks', text: block }]
    if (heading === 'lastAct') return [{ title: 'lastAct', origin: 'facts of its last act', text: block }]
    if (heading !== undefined) return [{ title: heading, origin: 'see-resolver', text: block }]
    const paragraphs = block.split('\n\n')
    if (block.startsWith('and can:')) {
      const end = paragraphs.findIndex((one, i) => i > 0 && !/^(see|do|summon|be) \(/.test(one))
      return withRole('Surface', 'composed lists, cut to the ceilings', paragraphs, end)
    }
    return i === 0
      ? withRole('Identity', 'name, role and place', paragraphs, 1)
      : withRole('Ground', 'the same for everyone', paragraphs, 1)
  })
}

/**
 * A part of ours, and the prompts of the roles where they come right after it.
 * @param end of our part; -1 for all of it
 */
function withRole(title: string, origin: string, paragraphs: readonly string[], end: number): Layer[] {
  const own = end < 0 ? paragraphs : paragraphs.slice(0, end)
  const role = end < 0 ? [] : paragraphs.slice(end)
  return [
    { title, origin, text: own.join('\n\n') },
    ...(role.length === 0 ? [] : [{ title: 'Role', origin: 'prompt of the stack', text: role.join('\n\n') }]),
  ]
}
