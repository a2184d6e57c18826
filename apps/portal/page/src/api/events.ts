import { createParser } from 'eventsource-parser'

/** One event of a stream. */
export interface StreamEvent {
  readonly id: string | null
  readonly event: string
  readonly data: string
}

/**
 * The server-sent events of an answer, as they come.
 * @param onSign called at each sign of life: comments show nothing else
 */
export async function* eventsIn(
  body: ReadableStream<BufferSource>,
  onSign: () => void = () => undefined,
): AsyncGenerator<StreamEvent> {
  const waiting: StreamEvent[] = []
  const parser = createParser({
    onEvent: ({ id = null, event = 'message', data }) => waiting.push({ id, event, data }),
  })
  const chunks = body.pipeThrough(new TextDecoderStream()).getReader() // Safari cannot iterate a stream
  for (let read = await chunks.read(); !read.done; read = await chunks.read()) {
    onSign()
    parser.feed(read.value)
    yield* waiting.splice(0)
  }
}
