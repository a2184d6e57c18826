import type { ModelRequest, Reply } from './model-server.ts'

/** All that a model was sent, as text. */
export const everything = ({ messages }: ModelRequest): string =>
  messages.map(({ content }) => String(content)).join('\n')

/**
 * The n-th answer of a model whose calls fail twice out of five, each in another way, and that repeats all
 * that it was sent.
 */
export function echoing(request: ModelRequest, n: number): Reply {
  const echo = everything(request)
  const fates: Reply[] = [
    { status: 400, body: { error: { message: `bad request: ${echo}` } } },
    { content: `I was told: ${echo}` },
    {
      status: 422,
      headers: { 'x-echo': encodeURIComponent(echo).slice(0, 2000) },
      body: { error: { message: echo } },
    },
    { tool: { name: 'summon', args: { content: echo } } },
    { tool: { name: 'summon', args: { target: '@operator', content: `as asked: ${echo}` } } },
    {
      tool: {
        name: 'do',
        args: { operation: echo.slice(-300), target: '@operator', args: { [echo.slice(-200)]: echo } },
      },
    },
    { tool: { name: 'summon', args: echo } },
    { content: 'aye' },
    { tool: { name: 'summon', args: { content: echo.slice(-150) } } },
    { raw: `{"choices": ${JSON.stringify(echo)}` },
  ]
  return fates[n % fates.length] ?? { content: 'aye' }
}
