import { EventSourceParserStream } from 'eventsource-parser/stream'

type Bytes = Uint8Array<ArrayBuffer>

/** The server writes at least each 10 s, so a connection on which nothing comes for longer is lost. */
export const SILENCE_SECONDS = 45
/** Node and browsers take a longer timer for no time at all. */
const TIMER_MS_MAX = 2 ** 31 - 1

/**
 * The events of a stream.
 * @param silenceSeconds how long nothing may come, not even a comment
 * @throws {TypeError} for a stream that was cut, or fell silent
 */
export function eventsIn({ body }: Response, silenceSeconds: number) {
  if (body === null) throw new TypeError('the stream came without a body')
  return body
    .pipeThrough(endAfterSilence(silenceSeconds))
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
}

function endAfterSilence(seconds: number): TransformStream<Bytes, Bytes> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const listen = (at: TransformStreamDefaultController<Bytes>) => {
    clearTimeout(timer)
    timer = setTimeout(
      () => at.error(new TypeError(`nothing came for ${seconds} s, so the stream is lost`)),
      Math.min(1000 * seconds, TIMER_MS_MAX),
    )
  }
  const silence = {
    start: listen,
    transform(chunk: Bytes, at: TransformStreamDefaultController<Bytes>) {
      listen(at)
      at.enqueue(chunk)
    },
    flush: () => clearTimeout(timer),
    cancel: () => clearTimeout(timer),
  }
  return new TransformStream<Bytes, Bytes>(silence)
}
