import { type Output, plain } from './output.ts'

/** Shows only name and code of an error that no client gets: messages of Postgres quote their input. */
export const errorReporter = (out: Output, service: string) => (where: string, error: unknown) => {
  const { name, code } = (error instanceof Error ? error : {}) as { name?: string; code?: unknown }
  out.progress(
    `${service}: ${where}: ${[name ?? typeof error, code].filter((part) => part != null).join(' ')}`,
  )
  if (process.env.TREEOS_DEBUG && error instanceof Error)
    process.stderr.write(`${plain(error.stack ?? '')}\n`)
}
