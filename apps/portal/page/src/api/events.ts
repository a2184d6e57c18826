/** One event of a stream. */
export interface StreamEvent {
  readonly id: string | null
  readonly event: string
  readonly data: string
}

/** Reads server-sent events from chunks of text. Comments, which only show that the stream lives, are left out. */
export class EventReader {
  #rest = ''

  /** @returns the events that this chunk completes */
  read(chunk: string): StreamEvent[] {
    const parts = (this.#rest + chunk).split('\n\n')
    this.#rest = parts.pop() ?? ''
    return parts.flatMap((part) => {
      const lines = part.split('\n').map((line) => line.split(/: ?(.*)/s, 2))
      const valuesOf = (name: string) =>
        lines.flatMap(([field, value = '']) => (field === name ? [value] : []))
      const [event = 'message'] = valuesOf('event')
      const data = valuesOf('data')
      if (data.length === 0) return []
      return [{ id: valuesOf('id')[0] ?? null, event, data: data.join('\n') }]
    })
  }
}
