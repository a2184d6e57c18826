/** A part of a prompt, with where it comes from. */
export interface Layer {
  readonly title: string
  readonly origin: string
  readonly text: string
}

/**
 * Divides a prompt into its parts. A line that begins with `[` and a letter is always a heading of TreeOS: no value, no name
 * and no role can make one.
 */
export function layersOf(system: string): Layer[] {
  const blocks = system.split(/\n\n(?=\[[A-Za-z]|and can:)/)
  return blocks.flatMap((block, i): Layer[] => {
    const [, heading] = /^\[([A-Za-z][^\]\n]*)\]/.exec(block) ?? []
    if (heading === 'Time') return [{ title: 'Time', origin: 'recorded when the moment opened', text: block }]
    if (heading === 'Wake') return [{ title: 'Wake', origin: 'rows: what woke it, who speaks', text: block }]
    if (heading !== undefined) return [{ title: heading, origin: 'see-resolver', text: block }]
    if (block.startsWith('and can:')) return surfaceAndRole(block)
    return i === 0
      ? [{ title: 'Identity', origin: 'name, role and place', text: block }]
      : [{ title: 'Role', origin: 'prompt of the stack', text: block }]
  })
}

/** The lists of the surface end at the first paragraph that does not belong to them. */
function surfaceAndRole(block: string): Layer[] {
  const paragraphs = block.split('\n\n')
  const end = paragraphs.findIndex((one, i) => i > 0 && !/^(see|do|summon|be) \(/.test(one))
  const surface = (end === -1 ? paragraphs : paragraphs.slice(0, end)).join('\n\n')
  const layers = [{ title: 'Surface', origin: 'composed lists, cut to the ceilings', text: surface }]
  if (end === -1) return layers
  return [
    ...layers,
    { title: 'Role', origin: 'prompt of the stack', text: paragraphs.slice(end).join('\n\n') },
  ]
}
